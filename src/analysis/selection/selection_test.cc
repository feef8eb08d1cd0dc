// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/selection.h"

#include <gtest/gtest.h>

#include <functional>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

// Every weight of the example is a different power of two, so a sum identifies its samples.
int64_t SelectedCpu(const std::function<void(Selection*)>& set) {
  const Application application = ExampleApplication();
  Selection selection;
  selection.event = EventName(Event::kCpu);
  set(&selection);
  const auto rows = SelectSamples(application, selection);
  EXPECT_TRUE(rows.has_value()) << rows.error().message;
  int64_t weight = 0;
  for (const uint32_t row : *rows) weight += application.profile.samples[row].weight;
  return weight;
}

TEST(SelectionTest, AnEmptySelectionLetsEverythingThrough) {
  const Application application = ExampleApplication();
  EXPECT_EQ(SelectSamples(application, {})->size(), application.profile.samples.size());
}

TEST(SelectionTest, SelectsByEvent) {
  EXPECT_EQ(SelectedCpu([](Selection*) {}), 127'000);
}

TEST(SelectionTest, AStageWithoutAttemptMeansAllItsAttempts) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->stage = 0; }), 7'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->stage = 1; }), 24'000);
}

TEST(SelectionTest, AStageWithAttemptMeansThatAttempt) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { EXPECT_TRUE(ParseStage("1.0", s)); }), 8'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { EXPECT_TRUE(ParseStage("1.1", s)); }), 16'000);
}

TEST(SelectionTest, RejectsWhatIsNoStage) {
  Selection selection;
  for (const char* text : {"", "x", "3.", "3.x", "-1", "3.0.1", "1.-1"})
    EXPECT_FALSE(ParseStage(text, &selection)) << text;
}

TEST(SelectionTest, AJobMeansTheStagesItNeeds) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->job = 0; }), 7'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->job = 1; }), 31'000);
}

TEST(SelectionTest, AnSqlExecutionMeansTheStagesOfItsJobs) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->sql = 5; }), 24'000);
}

TEST(SelectionTest, SelectsTasksByTid) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->tasks = {10}; }), 3'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->tasks = {13, 10}; }), 19'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->tasks = {99}; }), 0);
}

TEST(SelectionTest, SelectsByExecutor) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->executor = "driver"; }), 32'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->executor = "1"; }), 95'000);
}

TEST(SelectionTest, SelectsTheExecutorsOfAHost) {
  Application application = ExampleApplication();
  for (Executor& executor : application.executors) executor.host = executor.id == "driver" ? "master" : "node1";
  Selection selection;
  selection.event = EventName(Event::kCpu);
  const auto weight = [&] {
    int64_t sum = 0;
    const auto rows = SelectSamples(application, selection);
    for (const uint32_t row : *rows) sum += application.profile.samples[row].weight;
    return sum;
  };
  selection.host = "node1";
  EXPECT_EQ(weight(), 95'000);
  selection.executor = "driver";
  EXPECT_EQ(weight(), 0) << "all members must hold";
  selection.executor.reset();
  selection.host = "node2";
  EXPECT_EQ(ExplainNoSamples(application, selection), "host node2 not found; recorded: master, node1");
}

TEST(SelectionTest, SelectsThreadsByIdAndByName) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->thread = "300"; }), 64'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->thread = "^main$|C[12] Compiler"; }), 96'000);
}

TEST(SelectionTest, ATimeRangeTakesEveryBucketThatItTouches) {
  const auto between = [](double from, double to) {
    return SelectedCpu([&](Selection* s) {
      s->from_ns = ApplicationBuilder::Nanos(from);
      s->to_ns = ApplicationBuilder::Nanos(to);
    });
  };
  EXPECT_EQ(between(1, 3), 3'000);
  EXPECT_EQ(between(1.5, 2.5), 3'000);
  EXPECT_EQ(between(2, 3), 2'000);
  EXPECT_EQ(between(0, 100), 127'000);
}

TEST(SelectionTest, SearchTakesStacksWithAMatchAnywhere) {
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->search = "parseInt"; }), 6'000);
  EXPECT_EQ(SelectedCpu([](Selection* s) { s->search = "Task\\.run$"; }), 31'000);
}

TEST(SelectionTest, AllMembersMustHold) {
  EXPECT_EQ(SelectedCpu([](Selection* s) {
              s->stage = 0;
              s->search = "parseInt";
              s->tasks = {11};
            }),
            4'000);
}

TEST(SelectionTest, IdlePoolThreadsLeaveWallSamplesOnly) {
  const Application application = ExampleApplication();
  Selection selection;
  selection.event = EventName(Event::kWall);
  EXPECT_EQ(SelectSamples(application, selection)->size(), 2u);
  selection.without_idle = true;
  const auto rows = SelectSamples(application, selection);
  ASSERT_EQ(rows->size(), 1u);
  EXPECT_EQ(application.profile.samples[rows->front()].weight, 9'000);
}

TEST(SelectionTest, ABadExpressionIsAnErrorThatNamesIt) {
  Selection selection;
  selection.search = "a(b";
  const auto rows = SelectSamples(ExampleApplication(), selection);
  ASSERT_FALSE(rows.has_value());
  EXPECT_NE(rows.error().message.find("'a(b'"), std::string::npos) << rows.error().message;
}

TEST(SelectionTest, ExplainsWhatThereIsInstead) {
  const Application application = ExampleApplication();
  const auto explain = [&](const std::function<void(Selection*)>& set) {
    Selection selection;
    set(&selection);
    return ExplainNoSamples(application, selection);
  };
  EXPECT_EQ(explain([](Selection* s) { s->stage = 7; }), "stage 7 not found; recorded: 0 to 1");
  EXPECT_EQ(explain([](Selection* s) { s->tasks = {7}; }), "task 7 not found; recorded: 10 to 13");
  EXPECT_EQ(explain([](Selection* s) { s->executor = "9"; }), "executor 9 not found; recorded: driver, 1");
  EXPECT_EQ(explain([](Selection* s) { s->sql = 1; }), "SQL execution 1 not found; recorded: only 5");
  EXPECT_NE(explain([](Selection* s) { s->event = EventName(Event::kLock); }).find("no lock samples"),
            std::string::npos);
}

TEST(SelectionTest, SumsByStackKeepWeightsAndTheStacksOfTheProfile) {
  ApplicationBuilder builder;
  builder.AddThread(1, "a", builder.AddExecutor("driver", 1));
  builder.AddThread(2, "b", 0);
  const StackId kept = builder.AddStack({"root", "kept"});
  builder.AddSample(Event::kCpu, 1, 1, kNoTask, kept, 10);
  builder.AddSample(Event::kCpu, 2, 2, kNoTask, kept, 5);
  builder.AddSample(Event::kWall, 2, 2, kNoTask, kept, 7);
  const Profile sums = SumByStack(builder.application().profile, {0, 1, 2});
  ASSERT_EQ(sums.samples.size(), 2u);
  EXPECT_EQ(sums.samples[0].weight, 15);
  EXPECT_EQ(sums.samples[1].weight, 7);
  EXPECT_EQ(sums.samples[0].stack, kept);
  EXPECT_EQ(sums.samples[1].stack, kept);
}

}  // namespace
}  // namespace sparkprof
