// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/batch_comparison.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

// Six batches, one every ten seconds, each with a job of a stage of two tasks.
class BatchComparisonTest : public testing::Test {
 protected:
  BatchComparisonTest() {
    builder_.AddExecutor("1", 4);
    application().streaming_queries.push_back({.id = "a", .run_id = "run", .name = "counts", .failure = {}});
    for (int64_t id = 0; id < 6; ++id) {
      StreamingBatch& batch = application().streaming_batches.emplace_back();
      batch.query = 0;
      batch.id = id;
      batch.start_ns = ApplicationBuilder::Time(static_cast<double>(id) * 10);
      batch.duration_ns = (2 + id % 2) * kSecond;
      batch.input_rows = 100;
      batch.phases_ns = {{"triggerExecution", 2 * kSecond}, {"addBatch", kSecond}, {"walCommit", kSecond / 10}};
      AddStage(id, id, kSecond);
    }
  }

  Application& application() { return builder_.application(); }

  // A stage of two tasks, the first of which takes a second.
  void AddStage(int64_t id, int64_t batch, int64_t duration_ns) {
    const double begin = static_cast<double>(batch) * 10;
    const int32_t row = builder_.AddStage(id, 0, id, "start at Job.scala:1");
    application().stages.back().submit_ns = ApplicationBuilder::Time(begin);
    application().stages.back().end_ns = ApplicationBuilder::Time(begin) + duration_ns;
    builder_.AddJob(id, {id});
    Job& job = application().jobs.back();
    job.group = "run";
    job.description = "counts\nid = a\nrunId = run\nbatch = " + std::to_string(batch);
    job.submit_ns = ApplicationBuilder::Time(begin);
    const double seconds = static_cast<double>(duration_ns) / static_cast<double>(kSecond);
    builder_.AddTask(2 * id, row, 0, begin, begin + 1);
    builder_.AddTask(2 * id + 1, row, 0, begin, begin + seconds);
    for (const size_t task : {application().tasks.Size() - 2, application().tasks.Size() - 1})
      application().tasks.Column(TaskMetric::kShuffleReadBytes)[task] = 1000;
  }

  // The last batch, which becomes the slowest one.
  StreamingBatch& Slowest() {
    StreamingBatch& batch = application().streaming_batches.back();
    batch.duration_ns = 9 * kSecond;
    return batch;
  }

  BatchDifference Of(const BatchComparison& comparison, BatchDifference::Part part, const std::string& name) {
    for (const BatchDifference& one : comparison.differences) {
      if (one.part == part && one.name == name) return one;
    }
    ADD_FAILURE() << name;
    return {};
  }

  ApplicationBuilder builder_;
};

TEST_F(BatchComparisonTest, TheSlowestBatchIsComparedWithTheMedianOne) {
  Slowest().phases_ns = {{"triggerExecution", 9 * kSecond}, {"addBatch", kSecond}, {"walCommit", 8 * kSecond}};
  const std::vector<BatchComparison> comparisons = CompareBatches(application());
  ASSERT_EQ(comparisons.size(), 1U);
  EXPECT_EQ(comparisons[0].slowest->id, 5);
  EXPECT_EQ(comparisons[0].median->duration_ns, 3 * kSecond) << "of 2, 2, 3, 3, 9 s";
  EXPECT_EQ(comparisons[0].batches, 5U);
  EXPECT_EQ(comparisons[0].differences.front().Excess(), 6 * kSecond);
  ASSERT_NE(comparisons[0].LargestPhase(), nullptr);
  EXPECT_EQ(comparisons[0].LargestPhase()->name, "walCommit");
  EXPECT_EQ(comparisons[0].LargestPhase()->median, kSecond / 10);
  EXPECT_EQ(comparisons[0].LargestStage(), nullptr) << "its stage takes as long";
}

TEST_F(BatchComparisonTest, TheStageAndTheMetricThatDifferAreNamed) {
  Slowest();
  application().stages.back().end_ns += 5 * kSecond;
  application().tasks.Column(TaskMetric::kShuffleReadBytes)[application().tasks.Size() - 1] = 9000;
  const BatchComparison comparison = CompareBatches(application()).at(0);
  ASSERT_NE(comparison.LargestStage(), nullptr);
  EXPECT_EQ(comparison.LargestStage()->stage, 5);
  EXPECT_EQ(comparison.LargestStage()->Excess(), 5 * kSecond);
  ASSERT_NE(comparison.Cause(), nullptr);
  EXPECT_EQ(comparison.Cause()->label, "Shuffle read");
  EXPECT_EQ(comparison.Cause()->slowest, 10'000);
  EXPECT_EQ(comparison.Cause()->median, 2'000);
}

TEST_F(BatchComparisonTest, ATimeOfWaitingExplainsMoreThanAnAmount) {
  Slowest();
  application().stages.back().end_ns += 5 * kSecond;
  const size_t last = application().tasks.Size() - 1;
  application().tasks.Column(TaskMetric::kShuffleReadBytes)[last] = 9000;
  application().tasks.Column(TaskMetric::kGcTime)[last] = 4 * kSecond;
  ASSERT_NE(CompareBatches(application()).at(0).Cause(), nullptr);
  EXPECT_EQ(CompareBatches(application()).at(0).Cause()->label, "GC time");
}

TEST_F(BatchComparisonTest, AStageThatTheMedianBatchDoesNotHaveHasNoMedian) {
  Slowest();
  AddStage(6, 5, 6 * kSecond);
  const BatchComparison comparison = CompareBatches(application()).at(0);
  ASSERT_NE(comparison.LargestStage(), nullptr);
  EXPECT_EQ(comparison.LargestStage()->stage, 6);
  EXPECT_FALSE(comparison.LargestStage()->median.has_value());
}

TEST_F(BatchComparisonTest, BatchesWithoutRowsAndFewBatchesAreNotCompared) {
  application().streaming_batches[3].input_rows = 0;
  EXPECT_TRUE(CompareBatches(application()).empty());
}

}  // namespace
}  // namespace sparkprof
