// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/known_parts.h"

#include <gtest/gtest.h>

#include "analysis/summary.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

TEST(KnownPartsTest, AHostsRecordingHasNoJobs) {
  Application node;
  node.is_node = true;
  const KnownParts known = PartsKnownOf(node);
  EXPECT_FALSE(known.jobs || known.tasks || known.executors);
  EXPECT_FALSE(RulesAppliedTo(node).any);
  EXPECT_EQ(NoFindingsText(RulesAppliedTo(node)).find("Not checked for known problems"), 0u);
}

TEST(KnownPartsTest, AProfileAloneIsNotChecked) {
  Application profile;
  profile.is_foreign = true;
  EXPECT_NE(NoFindingsText(RulesAppliedTo(profile)).find("a profile alone"), std::string::npos);
}

TEST(KnownPartsTest, WithoutTheDriverJobsAreUnknown) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 2);
  builder.AddTask(1, builder.AddStage(0, 0, 0), executor, 0, 10);
  EXPECT_TRUE(PartsKnownOf(builder.application()).jobs);
  builder.application().losses.push_back({"drivers", "no recording found", 1});
  const KnownParts known = PartsKnownOf(builder.application());
  EXPECT_FALSE(known.jobs);
  EXPECT_TRUE(known.tasks);
  const RulesApplied rules = RulesAppliedTo(builder.application());
  EXPECT_TRUE(rules.any);
  EXPECT_EQ(rules.not_checked.front(),
            (NotChecked{"the driver and idle cores", "no data from the driver", RuleNeed::kDriver}));
}

TEST(KnownPartsTest, TasksWithoutMetricsAndSamplesNameWhatWasNotChecked) {
  ApplicationBuilder builder;
  builder.AddTask(1, builder.AddStage(0, 0, 0), builder.AddExecutor("1", 2), 0, 10);
  const std::string text = NoFindingsText(RulesAppliedTo(builder.application()));
  EXPECT_EQ(text.find("No known problems detected (0 rules checked); not checked: "), 0u);
  EXPECT_NE(text.find("code and locks (no CPU samples)"), std::string::npos);
}

TEST(KnownPartsTest, AnExcerptOfLogsIsNotCheckedForTimesOfTheRun) {
  ApplicationBuilder builder;
  const int32_t stage = builder.AddStage(0, 0, 0);
  builder.AddTask(1, stage, builder.AddExecutor("1", 2), 0, 10);
  Application& application = builder.application();
  EXPECT_TRUE(RulesAppliedTo(application).Has(RuleNeed::kWholeRun));
  application.losses.push_back({std::string(kExcerptLoss), "400 of at least 402 tasks", 400});
  EXPECT_EQ(MissingFromLogs(application), "400 of at least 402 tasks");
  EXPECT_FALSE(RulesAppliedTo(application).Has(RuleNeed::kWholeRun));
  EXPECT_FALSE(RulesAppliedTo(application).Has(RuleNeed::kWholeStages));
  EXPECT_TRUE(RulesAppliedTo(application).Has(RuleNeed::kTasks));
  application.stages[0].task_count = 1;
  EXPECT_TRUE(RulesAppliedTo(application).Has(RuleNeed::kWholeStages));
}

}  // namespace
}  // namespace sparkprof
