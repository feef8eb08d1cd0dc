// SPDX-License-Identifier: Apache-2.0
// Rules for streaming queries: state-store, stream-overhead, slow-sink, repeated-read.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class StreamRulesTest : public FindingTest {
 protected:
  StreamRulesTest() : FindingTest(4) {
    application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = "counts", .failure = {}});
  }

  // Five batches of 10 s that start every `interval` seconds.
  void AddBatches(double interval, const std::vector<std::pair<std::string, int64_t>>& phases,
                  const std::vector<std::pair<std::string, int64_t>>& state_metrics) {
    for (int i = 0; i < 5; ++i) {
      StreamingBatch& batch = application().streaming_batches.emplace_back();
      batch.query = 0;
      batch.start_ns = ApplicationBuilder::Time(i * interval);
      batch.duration_ns = 10 * kSecond;
      batch.input_rows = 100;
      batch.state_rows = 1000;
      batch.state_bytes = 1 << 20;
      batch.phases_ns = phases;
      batch.state_metrics = state_metrics;
    }
  }

  static int64_t BatchOf(const SqlExecution& sql) {
    return (sql.start_ns - ApplicationBuilder::kStart) / (10 * kSecond);
  }

  // Adds a query to batch `batch` whose stage of `seconds` scans this source.
  void AddScanInBatch(int batch, double seconds, std::string name, std::string text) {
    const auto id = static_cast<int64_t>(application().stages.size());
    double begin = 10.0 * batch;  // after the batch's other queries
    for (const SqlExecution& sql : application().sql_executions) {
      if (BatchOf(sql) == batch)
        begin = std::max(begin, static_cast<double>(sql.end_ns - ApplicationBuilder::kStart) / 1e9);
    }
    const int32_t stage = builder_.AddStage(id, 0, 0);
    application().stages.back().submit_ns = ApplicationBuilder::Time(begin);
    for (int64_t i = 0; i < 4; ++i) builder_.AddTask(4 * id + i, stage, 0, begin, begin + seconds, seconds);
    SqlExecution& sql = application().sql_executions.emplace_back();
    sql.id = id;
    sql.start_ns = ApplicationBuilder::Time(begin);
    sql.end_ns = ApplicationBuilder::Time(begin + seconds);
    sql.plan = {.name = std::move(name), .text = std::move(text)};
    sql.plan.stages = {id};
    application().stages.back().sql_execution = id;
  }
};

TEST_F(StreamRulesTest, StateThatTakesThreeTenthsOfTheBatchesIsSlow) {
  AddBatches(10, {}, {{"commitTimeMs", 10'000}, {"allUpdatesTimeMs", 2'000}});
  const Finding finding = Found("state-store");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 7.5 s (3.0 s to 18.8 s); cpu; 1,000 rows and 1.0 MiB of state after the last of 5 batches "
            "with rows");
  EXPECT_EQ(finding.title, "Streaming query counts: its state store takes 30.0% of the batches' time");
  application().streaming_batches[0].state_metrics[0].second -= 1;
  EXPECT_FALSE(Finds("state-store"));
}

TEST_F(StreamRulesTest, AStreamOfFilesThatAreAllThereNeedsNoTrigger) {
  AddBatches(20, {}, {});
  StreamingQuery& query = application().streaming_queries[0];
  query.source = "FileStreamSource[file:/data/readings]";
  EXPECT_FALSE(Finds("trigger-wait")) << "it still runs";
  query.end_ns = ApplicationBuilder::Time(100);
  const Finding finding = Found("trigger-wait");
  EXPECT_EQ(finding.title, "Streaming query counts waits for its trigger for 40.0% of the time");
  EXPECT_EQ(finding.evidence, "a batch starts every 20.0 s, although the source has rows for the next one");
  application().streaming_batches[4].input_rows = 3;
  EXPECT_TRUE(Finds("trigger-wait")) << "the rest";
  application().streaming_batches[2].input_rows = 3;
  EXPECT_FALSE(Finds("trigger-wait")) << "rows arrive meanwhile";
  application().streaming_batches[2].input_rows = 100;
  query.source = "KafkaV2[Subscribe[clicks]]";
  EXPECT_FALSE(Finds("trigger-wait"));
}

TEST_F(StreamRulesTest, UpdatesOfAStateThatAWatermarkBoundsAreTheWorkOfTheQuery) {
  AddBatches(10, {}, {{"commitTimeMs", 1'000}, {"allUpdatesTimeMs", 20'000}, {"allRemovalsTimeMs", 0}});
  EXPECT_FALSE(IsFolded(Found("state-store")));
  EXPECT_NE(Found("state-store").change.find("withWatermark"), std::string::npos);
  for (StreamingBatch& batch : application().streaming_batches) batch.state_metrics[2].second = 500;
  EXPECT_TRUE(IsFolded(Found("state-store")));
  EXPECT_EQ(Found("state-store").change.find("withWatermark"), std::string::npos);
}

TEST_F(StreamRulesTest, AStreamThatWaitsForItsTriggerDoesNotEndSooner) {
  AddBatches(20, {}, {{"commitTimeMs", 20'000}});
  EXPECT_EQ(Found("state-store").saving.likely_ns, 0);
  EXPECT_EQ(Found("state-store").severity, Severity::kLow);
}

TEST_F(StreamRulesTest, ManyStateStoresOfASingleTaskArePartitionsOfTheQuery) {
  AddBatches(10, {}, {{"commitTimeMs", 8'000}, {"numStateStoreInstances", 200}});
  for (int batch = 0; batch < 5; ++batch) {
    const int32_t stage = builder_.AddStage(batch, 0, 0);
    application().stages.back().task_count = 1;
    application().stages.back().submit_ns = ApplicationBuilder::Time(10.0 * batch);
    builder_.AddTask(batch, stage, 0, 10.0 * batch, 10.0 * batch + 9, 9);
    SqlExecution& sql = application().sql_executions.emplace_back();
    sql.id = batch;
    sql.start_ns = ApplicationBuilder::Time(10.0 * batch);
    sql.end_ns = sql.start_ns + 9 * kSecond;
    sql.plan.stages = {batch};
    application().stages.back().sql_execution = batch;
  }
  const Finding finding = Found("state-store");
  EXPECT_EQ(finding.title, "Streaming query counts: its state store takes 80.0% of the batches' time");
  EXPECT_TRUE(
      finding.change.starts_with("Set spark.sql.shuffle.partitions=4, with a new checkpoint: each batch commits "
                                 "200 state stores"))
      << finding.change;
}

TEST_F(StreamRulesTest, TheLongestPartOfRocksDbsCommitIsNamed) {
  AddBatches(
      10, {},
      {{"commitTimeMs", 20'000}, {"rocksdbCommitFileSyncLatencyMs", 12'000}, {"rocksdbCommitCompactLatency", 500}});
  EXPECT_NE(Found("state-store").evidence.find("most of the commit is uploading files, 60.0 s"), std::string::npos)
      << Found("state-store").evidence;
}

TEST_F(StreamRulesTest, LoadsOfTheCheckpointAndMissesOfTheCacheAreTroubleOfTheStore) {
  AddBatches(10, {}, {{"commitTimeMs", 10}, {"loadedMapCacheHitCount", 180}, {"loadedMapCacheMissCount", 20}});
  EXPECT_NE(Found("state-store").evidence.find("20 of 200 loads read the state from its checkpoint again"),
            std::string::npos);
  for (StreamingBatch& batch : application().streaming_batches) batch.state_metrics[2].second = 19;
  EXPECT_FALSE(Finds("state-store"));
  for (StreamingBatch& batch : application().streaming_batches) {
    batch.state_metrics = {
        {"commitTimeMs", 10}, {"rocksdbReadBlockCacheMissCount", 10'000}, {"rocksdbReadBlockCacheHitCount", 10'000}};
  }
  EXPECT_NE(Found("state-store").change.find("blockCacheSizeMB"), std::string::npos);
  application().streaming_batches[0].state_metrics[1].second -= 1;
  EXPECT_FALSE(Finds("state-store"));
}

TEST_F(StreamRulesTest, OneLongBatchThatUpdatesItsStateIsEnough) {
  AddBatches(10, {}, {{"commitTimeMs", 1'000}, {"allUpdatesTimeMs", 30'000}});
  application().streaming_batches.resize(1);
  const Finding finding = Found("state-store");
  EXPECT_NE(finding.change.find("withWatermark"), std::string::npos) << finding.change;
  application().streaming_batches[0].duration_ns -= 1;
  EXPECT_FALSE(Finds("state-store"));
}

TEST_F(StreamRulesTest, GarbageCollectionOfHeapsFullOfStateIsItsSymptom) {
  AddBatches(10, {}, {{"commitTimeMs", 10}});
  const int32_t stage = builder_.AddStage(3, 0, 0);
  for (int64_t tid = 0; tid < 8; ++tid) {
    const size_t row = builder_.AddTask(tid, stage, 0, 1, 9, 4);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = 8 * kSecond;
    tasks().Column(TaskMetric::kGcTime)[row] = 4 * kSecond;
  }
  application().stages.back().submit_ns = ApplicationBuilder::Time(1);
  Set({{"spark.executor.memory", "1g"}});
  application().streaming_batches.back().state_bytes = int64_t{256} << 20;
  const Finding finding = Found("state-store");
  EXPECT_EQ(finding.saving.likely_ns, 4 * kSecond) << "half of the time that four cores collect";
  EXPECT_NE(finding.evidence.find("the state takes 256 MiB of the executors' heaps"), std::string::npos);
  EXPECT_NE(finding.evidence.find("symptom: GC takes 50.0% of task time"), std::string::npos) << finding.evidence;
  EXPECT_FALSE(Finds("gc"));
  application().streaming_batches.back().state_bytes -= 1;
  EXPECT_FALSE(Finds("state-store"));
  EXPECT_TRUE(Finds("gc"));
}

TEST_F(StreamRulesTest, TasksThatWaitWhileTheirBatchHasStateDoNotSleep) {
  AddBatches(10, {}, {{"commitTimeMs", 10}});
  const int32_t stage = builder_.AddStage(3, 0, 0);
  for (int64_t tid = 0; tid < 8; ++tid) {
    const size_t row = builder_.AddTask(tid, stage, 0, 1, 9, 0.1);
    tasks().Column(TaskMetric::kExecutorRunTime)[row] = 8 * kSecond;
  }
  application().stages.back().submit_ns = ApplicationBuilder::Time(1);
  EXPECT_FALSE(Finds("sleep"));
  // A stage before the first batch does not belong to it.
  application().stages.back().submit_ns = ApplicationBuilder::Time(-1);
  EXPECT_TRUE(Finds("sleep"));
}

TEST_F(StreamRulesTest, ATaskThatWaitsInItsStateStoreDoesNotSleep) {
  AddBatches(10, {}, {});
  const int32_t stage = builder_.AddStage(3, 0, 0);
  builder_.AddTask(1, stage, 0, 1, 9, 0.1);
  const uint32_t thread = builder_.AddThread(200, "Executor task launch worker-0", 0);
  const auto wait_in = [&](const char* name) {
    application().profile.samples.clear();
    const StackId stack = builder_.AddStack({name, "java.util.concurrent.locks.LockSupport.park"});
    builder_.AddSample(Event::kWall, 3, thread, 1, stack, 8 * kSecond).state = ThreadState::kSleeping;
  };
  wait_in("com.example.Client.get");
  EXPECT_TRUE(Finds("sleep"));
  wait_in("org.apache.spark.sql.execution.streaming.state.StateStoreCoordinatorRef.verifyIfInstanceActive");
  EXPECT_FALSE(Finds("sleep"));
}

TEST_F(StreamRulesTest, PhasesBesideTheWorkThatTakeTwoFifthsOfTheBatchesAreOverhead) {
  AddBatches(10,
             {{"triggerExecution", 10 * kSecond},
              {"addBatch", 6 * kSecond},
              {"latestOffset", 3 * kSecond},
              {"walCommit", kSecond}},
             {});
  const Finding finding = Found("stream-overhead");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 7.5 s (3.0 s to 18.8 s); cpu of driver; 5 batches with rows; addBatch takes 60.0% of a "
            "batch, latestOffset 30.0%");
  EXPECT_EQ(finding.title, "Streaming query counts: finding new data takes 30.0% of the batches' time");
  application().streaming_batches[0].phases_ns[3].second -= 1;
  EXPECT_FALSE(Finds("stream-overhead"));
}

TEST_F(StreamRulesTest, FixedCostsOfManyPhasesAreThoseOfSmallBatches) {
  AddBatches(10, {{"latestOffset", kSecond}, {"getBatch", kSecond}, {"walCommit", kSecond}, {"commitOffsets", kSecond}},
             {});
  const Finding finding = Found("stream-overhead");
  EXPECT_EQ(finding.title, "Streaming query counts: the fixed cost of batches takes 40.0% of their time");
  EXPECT_NE(finding.what.find("a batch has 100 rows on average"), std::string::npos) << finding.what;
  EXPECT_EQ(finding.saving.likely_ns, 25 * kSecond) << "half of five batches that take 10 s each";
  application().streaming_batches[0].phases_ns[3].second -= 1;
  EXPECT_FALSE(Finds("stream-overhead"));
}

TEST_F(StreamRulesTest, AStreamThatKeepsUpWithItsTriggerHasNoSaving) {
  AddBatches(20, {{"latestOffset", 6 * kSecond}}, {});
  EXPECT_EQ(Found("stream-overhead").saving.likely_ns, 0);
}

TEST_F(StreamRulesTest, ASinkThatWorksInTheDriverForHalfOfTheBatchesIsSlow) {
  AddBatches(10, {{"addBatch", 9 * kSecond}}, {});
  builder_.AddJob(0, {});
  application().jobs[0].submit_ns = ApplicationBuilder::Time(0);
  application().jobs[0].end_ns = ApplicationBuilder::Time(4);
  for (int i = 1; i < 5; ++i) {
    Job next = application().jobs[0];
    next.id = i;
    next.submit_ns += i * 10 * kSecond;
    next.end_ns += i * 10 * kSecond;
    application().jobs.push_back(next);
  }
  const Finding finding = Found("slow-sink");
  EXPECT_EQ(finding.title, "Streaming query counts: its sink works in the driver for 50.0% of the batches' time");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(20));
  application().jobs[0].end_ns += kSecond / 10;
  EXPECT_FALSE(Finds("slow-sink"));
}

TEST_F(StreamRulesTest, OneBatchShowsASlowSinkIfItIsLong) {
  AddBatches(30, {{"addBatch", 29 * kSecond}}, {});
  application().streaming_batches.resize(1);
  application().streaming_batches[0].duration_ns = 30 * kSecond;
  builder_.AddJob(0, {});
  application().jobs[0].submit_ns = ApplicationBuilder::Time(0);
  application().jobs[0].end_ns = ApplicationBuilder::Time(4);
  EXPECT_NE(Found("slow-sink").what.find("In one batch with rows"), std::string::npos);
  application().streaming_batches[0].duration_ns -= 1;
  EXPECT_FALSE(Finds("slow-sink"));
}

TEST_F(StreamRulesTest, ABatchThatTakesThreeTimesAsLongAsTheMedianIsSlow) {
  AddBatches(10, {{"addBatch", 1 * kSecond}, {"walCommit", kSecond / 10}}, {});
  StreamingBatch another = application().streaming_batches.back();
  another.start_ns += 10 * kSecond;
  application().streaming_batches.push_back(another);
  for (size_t i = 0; i < application().streaming_batches.size(); ++i) {
    application().streaming_batches[i].id = static_cast<int64_t>(i);
    application().streaming_batches[i].duration_ns = kSecond;
  }
  application().streaming_batches[0].duration_ns = 9 * kSecond;  // the first batch loads classes
  EXPECT_FALSE(Finds("slow-batch"));
  StreamingBatch& slow = application().streaming_batches[4];
  slow.duration_ns = 3 * kSecond;
  slow.phases_ns = {{"addBatch", kSecond}, {"walCommit", 2 * kSecond}};
  const Finding finding = Found("slow-batch");
  EXPECT_EQ(finding.title, "Streaming query counts: batch 4 takes 3.0 times as long as the median batch");
  EXPECT_EQ(Weighed(finding),
            "low, saves no known time; cpu; 100 and 100 rows; walCommit takes 2.0 s instead of 100 ms");
  EXPECT_NE(finding.change.find("checkpoint"), std::string::npos);
  slow.duration_ns -= 1;
  EXPECT_FALSE(Finds("slow-batch"));
}

TEST_F(StreamRulesTest, ASlowBatchSavesNothingWhereItHasAsManyMoreRows) {
  AddBatches(10, {{"addBatch", 10 * kSecond}}, {});
  std::vector<StreamingBatch>& batches = application().streaming_batches;
  batches.push_back(StreamingBatch(batches.back()));
  for (size_t i = 0; i < batches.size(); ++i) {
    batches[i].id = static_cast<int64_t>(i);
    batches[i].start_ns = ApplicationBuilder::Time(static_cast<double>(i < 5 ? 10 * i : 10 * i + 30));
    batches[i].duration_ns = (i == 4 ? 40 : 10) * kSecond;
  }
  EXPECT_EQ(Found("slow-batch").saving.likely_ns, 15 * kSecond) << "half of what it takes longer";
  batches[4].input_rows *= 4;
  EXPECT_EQ(Found("slow-batch").saving.likely_ns, 0);
}

TEST_F(StreamRulesTest, ABatchThatTwoQueriesScanIsComputedTwice) {
  AddBatches(10, {}, {});
  for (int batch = 0; batch < 5; ++batch)
    AddScanInBatch(batch, 2, "Scan ExistingRDD", "Scan ExistingRDD[id#0L,code#4L]");
  EXPECT_FALSE(Finds("repeated-read")) << "one query for each batch";
  for (int batch = 0; batch < 5; ++batch)
    AddScanInBatch(batch, 2, "Scan ExistingRDD", "Scan ExistingRDD[id#0L,code#4L]");
  const Finding finding = Found("repeated-read");
  EXPECT_EQ(finding.title, "foreachBatch() runs up to 2 queries on a batch, and each computes the batch again");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(8));
  for (StreamingBatch& batch : application().streaming_batches) batch.duration_ns = 5 * kSecond;
  EXPECT_EQ(Found("repeated-read").saving.likely_ns, 0) << "a shorter batch waits for its trigger";
}

TEST_F(StreamRulesTest, ATableThatThreeBatchesScanIsReadAgain) {
  AddBatches(10, {}, {});
  const auto scan = [&](int batch, const std::string& file) {
    AddScanInBatch(batch, 4, "Scan csv ",
                   "FileScan csv [id#1] Format: CSV, Location: InMemoryFileIndex(1 paths)[file:/" + file +
                       "], "
                       "PartitionFilters: []");
  };
  for (int batch = 0; batch < 5; ++batch) scan(batch, "in/part" + std::to_string(batch));
  scan(0, "names.csv");
  scan(1, "names.csv");
  EXPECT_FALSE(Finds("repeated-read")) << "two batches";
  scan(2, "names.csv");
  const Finding finding = Found("repeated-read");
  EXPECT_EQ(finding.title, "3 batches read the same table again, without a cache: csv file:/names.csv");
  EXPECT_NEAR(static_cast<double>(finding.saving.likely_ns), 4 * 1e9, 1e6);
}

TEST_F(StreamRulesTest, BatchesThatWriteAllOfTheirOutputAgainAreNamed) {
  AddBatches(10, {}, {});
  for (int batch = 0; batch < 5; ++batch) {
    AddScanInBatch(batch, 5, "Execute InsertIntoHadoopFsRelationCommand", "");
    application().sql_executions.back().plan.metrics = {Rows(100.0 * (batch + 1))};
  }
  const Finding finding = Found("rewritten-output");
  EXPECT_EQ(finding.title, "Each batch of a stream writes all of its output again: 500 rows, 100 of them new");
  EXPECT_EQ(finding.evidence, "the queries that write it take 25.0 s");
  EXPECT_GT(finding.saving.likely_ns, 0);
  application().streaming_batches.back().input_rows = 200;
  EXPECT_FALSE(Finds("rewritten-output")) << "the input grows, too";
  application().streaming_batches.back().input_rows = 100;
  application().sql_executions.back().plan.metrics[0].value = 400;
  EXPECT_FALSE(Finds("rewritten-output")) << "a batch added nothing";
}

}  // namespace
}  // namespace sparkprof
