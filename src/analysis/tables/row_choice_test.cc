// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/row_choice.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class RowChoiceTest : public testing::Test {
 protected:
  RowChoiceTest() {
    for (int64_t id = 0; id < 1'000; ++id) {
      builder_.AddExecutor(std::to_string(id), 1);
      const int32_t stage = builder_.AddStage(id, 0, id);
      builder_.AddTask(id, stage, static_cast<int32_t>(id), 1, 2);
      builder_.AddJob(id, {id});
    }
  }

  ApplicationBuilder builder_;
  const RowLimits small_{.tasks = 50, .stages = 40, .jobs = 30, .sql_executions = 20, .executors = 10};
};

TEST_F(RowChoiceTest, EverythingWhereThereIsRoom) {
  const ChosenRows rows = ChooseRows(builder_.application(), {});
  EXPECT_EQ(rows.tasks.size(), 1'000u);
  EXPECT_EQ(rows.stages.size(), 1'000u);
  EXPECT_EQ(rows.jobs.size(), 1'000u);
  EXPECT_EQ(rows.executors, 1'000u);
  EXPECT_EQ(rows.left_out, "");
}

TEST_F(RowChoiceTest, KeepsWithinItsLimitsAndSaysWhatIsLeftOut) {
  const ChosenRows rows = ChooseRows(builder_.application(), {}, small_);
  EXPECT_LE(rows.stages.size(), 40u);
  EXPECT_GE(rows.stages.size(), 30u);
  EXPECT_LE(rows.jobs.size(), 30u);
  EXPECT_TRUE(std::is_sorted(rows.stages.begin(), rows.stages.end()));
  EXPECT_EQ(rows.Executor(9), 9);
  EXPECT_EQ(rows.Executor(10), -1);
  EXPECT_NE(rows.left_out.find("of 1000 stages, "), std::string::npos) << rows.left_out;
  EXPECT_NE(rows.left_out.find("10 of 1000 executors are shown"), std::string::npos) << rows.left_out;
}

TEST_F(RowChoiceTest, NamedFailedAndLongestStagesAreShownWithTheirTasks) {
  Application& application = builder_.application();
  Finding finding;
  finding.selection.stage = 501;
  finding.selection.stage_attempt = 0;
  application.stages[603].status = RunStatus::kFailed;
  application.stages[707].submit_ns = 1;
  application.stages[707].end_ns = INT64_MAX;
  const ChosenRows rows = ChooseRows(application, {finding}, small_);
  for (const uint32_t row : {501u, 603u, 707u}) {
    EXPECT_TRUE(std::binary_search(rows.stages.begin(), rows.stages.end(), row)) << row;
    EXPECT_TRUE(std::binary_search(rows.tasks.begin(), rows.tasks.end(), row)) << row;
  }
  EXPECT_EQ(rows.tasks, rows.stages);
}

}  // namespace
}  // namespace sparkprof
