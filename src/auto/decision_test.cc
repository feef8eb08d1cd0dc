// SPDX-License-Identifier: Apache-2.0
#include "auto/decision.h"

#include <gtest/gtest.h>

#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr char kMemory[] = "spark.executor.memory";
constexpr char kInstances[] = "spark.executor.instances";
constexpr int64_t kGib = int64_t{1} << 30;

// A job with 8 GiB and 10 executors that needs less.
class DecisionTest : public testing::Test {
 protected:
  DecisionTest() {
    policy_ = *ParseAutoPolicy(R"(
settings:
  spark.executor.memory: {min: 2g, max: 16g, step: 25%}
  spark.executor.instances: {min: 2, max: 20, step: 2}
  spark.sql.adaptive.enabled: {values: [true]}
)",
                               "policy");
  }

  // Adds a run with the settings of the last decision.
  PastRun& Run(const std::string& wanted_memory = "5g") {
    PastRun run;
    run.id = "app-" + std::to_string(runs_.size() + 1);
    run.end_ns = static_cast<int64_t>(runs_.size() + 1) * kNanosPerSecond;
    run.version = last_.version;
    run.wall_ns = 100 * kNanosPerSecond;
    run.input_bytes = 10 * kGib;
    run.values = own_;
    for (const auto& [key, value] : last_.settings) run.values[key] = value;
    if (!wanted_instances_.empty()) run.proposals[kInstances] = {wanted_instances_, "Executors are idle"};
    if (!wanted_memory.empty()) run.proposals[kMemory] = {wanted_memory, "The fullest heap held 3.8 GiB"};
    runs_.push_back(run);
    return runs_.back();
  }

  void Runs(int count) {
    for (int i = 0; i < count; ++i) Run();
  }

  AutoDecision Next() {
    last_ = Decide(policy_, runs_, own_, 0, &state_);
    return last_;
  }

  // Runs five good runs, so that the first change follows.
  void ChangeOnce() {
    Runs(5);
    ASSERT_EQ(Next().settings, (AutoValues{{kMemory, "6g"}}));
  }

  AutoPolicy policy_;
  AutoValues own_{{kMemory, "8g"}, {kInstances, "10"}};
  std::string wanted_instances_;  // empty = as many as the run has
  std::vector<PastRun> runs_;
  AutoState state_;
  AutoDecision last_;
};

TEST_F(DecisionTest, FewerThanFiveGoodRunsChangeNothing) {
  Runs(4);
  const AutoDecision decision = Next();
  EXPECT_EQ(decision.kind, AutoDecision::Kind::kKept);
  EXPECT_EQ(decision.text, "no change: 4 good runs in a row with the present settings, 5 are required");
  EXPECT_TRUE(decision.settings.empty());
  EXPECT_TRUE(state_.versions.empty());
}

TEST_F(DecisionTest, TheLargestNeedOfTheLastRunsIsMetInOneStep) {
  Runs(4);
  Run("5376m");
  const AutoDecision decision = Next();
  EXPECT_EQ(decision.kind, AutoDecision::Kind::kChanged);
  EXPECT_EQ(
      decision.text,
      "spark.executor.memory 8g -> 6g: the last 5 runs need at most 5376m (app-5: The fullest heap held 3.8 GiB); "
      "limited by the policy");
  EXPECT_EQ(decision.version, 1);
  EXPECT_EQ(decision.settings, (AutoValues{{kMemory, "6g"}}));
}

TEST_F(DecisionTest, ARunWithoutProposalNeedsWhatItHad) {
  Runs(4);
  Run("");
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
}

TEST_F(DecisionTest, OneSettingChangesAtATime) {
  wanted_instances_ = "5";
  Runs(5);
  EXPECT_EQ(Next().settings, (AutoValues{{kMemory, "6g"}}));
  for (int i = 0; i < 4; ++i) {
    Run();
    EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
  }
  Run();
  EXPECT_EQ(Next().settings, (AutoValues{{kMemory, "5g"}}));
  Runs(5);
  EXPECT_EQ(Next().settings, (AutoValues{{kMemory, "5g"}, {kInstances, "8"}}));
}

TEST_F(DecisionTest, AnAdvisedTextChangesIfAllRunsAgreeAndThePolicyAllowsIt) {
  for (int i = 0; i < 5; ++i) Run("").proposals["spark.sql.adaptive.enabled"] = {"true", "AQE is off"};
  EXPECT_EQ(Next().settings, (AutoValues{{"spark.sql.adaptive.enabled", "true"}}));
}

TEST_F(DecisionTest, SettingsOutsideOfThePolicyStay) {
  policy_ = *ParseAutoPolicy("settings: {spark.executor.cores: {min: 1, max: 4, step: 1}}", "policy");
  Runs(5);
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
}

TEST_F(DecisionTest, AFailedRunBeforeAnyChangeStartsTheCountAgain) {
  Runs(5);
  Run().has_failed = true;
  Runs(4);
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
  Run();
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kChanged);
}

TEST_F(DecisionTest, AFailureBringsBackTheJobsOwnSettings) {
  ChangeOnce();
  Run().has_failed = true;
  const AutoDecision decision = Next();
  EXPECT_EQ(decision.kind, AutoDecision::Kind::kRolledBack);
  EXPECT_EQ(decision.text, "rolled back spark.executor.memory 6g -> 8g: app-6 failed");
  EXPECT_TRUE(decision.settings.empty());
  EXPECT_EQ(decision.version, 2);
}

TEST_F(DecisionTest, ARolledBackValueIsNotTriedAgainUntilThereIsLessData) {
  ChangeOnce();
  Run().has_failed = true;
  Next();
  Runs(5);
  EXPECT_EQ(Next().text, "no change: spark.executor.memory 6g is not tried again: app-6 failed");
  for (int i = 0; i < 5; ++i) Run().input_bytes = 14 * kGib;
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
  for (int i = 0; i < 5; ++i) Run().input_bytes = 7 * kGib;
  EXPECT_EQ(Next().settings, (AutoValues{{kMemory, "6g"}}));
}

TEST_F(DecisionTest, ASpillTakesTheLastChangeBack) {
  ChangeOnce();
  Runs(5);
  ASSERT_EQ(Next().settings, (AutoValues{{kMemory, "5g"}}));
  Run().spilled_bytes = kGib;
  const AutoDecision decision = Next();
  EXPECT_EQ(decision.text, "rolled back spark.executor.memory 5g -> 6g: app-11 spilled 1.0 GiB, at most 0 B before");
  EXPECT_EQ(decision.settings, (AutoValues{{kMemory, "6g"}}));
  EXPECT_EQ(state_.versions.back().number, 3);
  Run().spilled_bytes = kGib;
  EXPECT_TRUE(Next().settings.empty());
}

TEST_F(DecisionTest, AJobThatAlwaysSpillsMaySpill) {
  Runs(5);
  for (PastRun& run : runs_) run.spilled_bytes = kGib;
  Next();
  Run().spilled_bytes = kGib;
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
}

TEST_F(DecisionTest, ManyCollectionsTakeTheLastChangeBack) {
  ChangeOnce();
  Run().gc_share = 0.2;
  EXPECT_EQ(
      Next().text,
      "rolled back spark.executor.memory 6g -> 8g: garbage collection took 20.0% of the tasks' time in app-6, at most "
      "0.0% before");
}

TEST_F(DecisionTest, ARunFarSlowerThanNoiseTakesTheLastChangeBack) {
  ChangeOnce();
  Run().wall_ns = 125 * kNanosPerSecond;
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
  Run().wall_ns = 140 * kNanosPerSecond;
  EXPECT_EQ(Next().text,
            "rolled back spark.executor.memory 6g -> 8g: app-7 took 2.3 min, runs with similar data 100.0 s "
            "before");
}

TEST_F(DecisionTest, ManyRunsThatAreSlightlySlowerTakeTheLastChangeBack) {
  ChangeOnce();
  for (int i = 0; i < 5; ++i) Run().wall_ns = (110 + i) * kNanosPerSecond;
  EXPECT_EQ(Next().text,
            "rolled back spark.executor.memory 6g -> 8g: the last 5 runs took 12% longer than those before");
}

TEST_F(DecisionTest, ALongerRunWithMoreDataIsNoRegression) {
  ChangeOnce();
  PastRun& run = Run();
  run.input_bytes = 14 * kGib;
  run.wall_ns = 140 * kNanosPerSecond;
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
}

TEST_F(DecisionTest, AJumpOfTheDataBringsBackTheJobsOwnSettingsBeforeItFails) {
  ChangeOnce();
  Run().input_bytes = 16 * kGib;
  const AutoDecision decision = Next();
  EXPECT_EQ(
      decision.text,
      "rolled back spark.executor.memory 6g -> 8g: app-6 read 16.0 GiB, more than 1.5 times the data of the last runs");
  EXPECT_TRUE(decision.settings.empty());
  EXPECT_TRUE(state_.refused.empty());
}

TEST_F(DecisionTest, AValueThatTheProgramSetsItselfIsGivenUp) {
  ChangeOnce();
  Run().values[kMemory] = "8g";
  EXPECT_EQ(Next().text,
            "rolled back spark.executor.memory 6g -> 8g: app-6 had 8g instead: the program sets it in its "
            "code");
  Runs(20);
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
}

TEST_F(DecisionTest, AChangeOfTheJobsOwnValueWins) {
  ChangeOnce();
  Runs(1);
  own_[kMemory] = "12g";
  EXPECT_EQ(
      Next().text,
      "rolled back spark.executor.memory 6g -> 12g: the job's own spark.executor.memory has changed from 8g to 12g");
}

TEST_F(DecisionTest, AValueThatThePolicyNoLongerAllowsIsGivenUp) {
  ChangeOnce();
  policy_.rules[0].least = 7 * kGib;
  EXPECT_EQ(Next().text,
            "rolled back spark.executor.memory 6g -> 8g: the policy does not allow spark.executor.memory 6g");
}

TEST_F(DecisionTest, RunningApplicationsAndUnknownVersionsAreNoEvidence) {
  Runs(5);
  runs_[2].is_running = true;
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
  runs_[2].is_running = false;
  runs_[2].version = 77;
  EXPECT_EQ(Next().kind, AutoDecision::Kind::kKept);
}

TEST_F(DecisionTest, AMoreDemandingJobGetsMore) {
  for (int i = 0; i < 5; ++i) Run("12g");
  EXPECT_EQ(Next().settings, (AutoValues{{kMemory, "10g"}}));
}

TEST_F(DecisionTest, VersionsKeepTheRunsThatUsedThem) {
  ChangeOnce();
  Runs(2);
  Next();
  ASSERT_EQ(state_.versions.size(), 1U);
  EXPECT_EQ(state_.versions[0].runs, (std::vector<std::string>{"app-6", "app-7"}));
}

}  // namespace
}  // namespace sparkprof
