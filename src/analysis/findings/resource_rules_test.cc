// SPDX-License-Identifier: Apache-2.0
// Rules about what a job makes of its machines: cpu-starved, few-partitions, speculation, large-broadcast,
// unpushed-filter, unused-cache, evicted-cache, streaming-behind, unused-memory, warm-up.
#include <gtest/gtest.h>

#include <utility>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;
constexpr double kMebibyte = 1 << 20;

class ResourceRulesTest : public testing::Test {
 protected:
  ResourceRulesTest() : executor_(builder_.AddExecutor("1", 4)), stage_(builder_.AddStage(3, 0, 0)) {
    worker_ = builder_.AddThread(200, "Executor task launch worker-0", executor_);
  }

  Application& application() { return builder_.application(); }

  std::optional<Finding> Find(std::string_view rule) {
    for (Finding& finding : Answer(builder_.application()).findings) {
      if (finding.rule == rule) return std::move(finding);
    }
    return std::nullopt;
  }

  SqlExecution& AddQuery(std::string name, std::vector<PlanMetric> metrics) {
    SqlExecution& sql = application().sql_executions.emplace_back();
    sql.id = 5;
    sql.description = "collect at /home/me/job.py:9";
    sql.plan.name = std::move(name);
    sql.plan.metrics = std::move(metrics);
    return sql;
  }

  void AddStreamingBatch(double seconds, int64_t rows, double input_rate, double processed_rate) {
    StreamingBatch batch;
    batch.query = 0;
    batch.id = static_cast<int64_t>(application().streaming_batches.size());
    batch.duration_ns = static_cast<int64_t>(seconds * 1e9);
    batch.input_rows = rows;
    batch.input_rows_per_second = input_rate;
    batch.processed_rows_per_second = processed_rate;
    application().streaming_batches.push_back(batch);
  }

  ApplicationBuilder builder_;
  const int32_t executor_;
  const int32_t stage_;
  uint32_t worker_;
};

TEST_F(ResourceRulesTest, TasksThatAreReadyForThreeTenthsOfTheirTimeStarve) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 7);
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, stack, 7 * kSecond);
  builder_.AddSample(Event::kWall, 3, worker_, 1, stack, 10 * kSecond).state = ThreadState::kRunning;
  const auto finding = Find("cpu-starved");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Stage 3: tasks wait for a CPU for 30.0% of their time");
  EXPECT_EQ(finding->gain_ns, 3 * kSecond);
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Find("cpu-starved").has_value());
}

TEST_F(ResourceRulesTest, ALongStageWithTasksForHalfOfTheCoresHasFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 10);
  builder_.AddTask(2, stage_, executor_, 0, 10, 10);
  const auto finding = Find("few-partitions");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Stage 3: 2 tasks for 4 cores");
  EXPECT_EQ(finding->gain_ns, 5 * kSecond);
  EXPECT_EQ(finding->frames, std::vector<std::string>{"count at Job.scala:12"});
  builder_.AddTask(3, stage_, executor_, 0, 10, 10);
  EXPECT_FALSE(Find("few-partitions").has_value());
}

TEST_F(ResourceRulesTest, AShortStageMayHaveFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 9.9, 9);
  EXPECT_FALSE(Find("few-partitions").has_value());
}

TEST_F(ResourceRulesTest, CopiesOfTasksThatLoseAreWaste) {
  builder_.AddTask(1, stage_, executor_, 0, 9, 9);
  const size_t copy = builder_.AddTask(2, stage_, executor_, 0, 1, 1);
  application().tasks.speculative[copy] = 1;
  application().tasks.outcome[copy] = TaskOutcome::kKilled;
  const auto finding = Find("speculation");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Stage 3: speculative tasks waste 10.0% of task time");
  application().tasks.outcome[copy] = TaskOutcome::kSucceeded;
  EXPECT_FALSE(Find("speculation").has_value());
}

TEST_F(ResourceRulesTest, ABroadcastFromOneHundredMebibytesOnIsLarge) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  SqlExecution& sql = AddQuery("BroadcastExchange", {{"data size", "size", 1, true, 100 * kMebibyte},
                                                     {"time to collect", "timing", 2, true, 4e9}});
  const auto finding = Find("large-broadcast");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A join broadcasts 100 MiB");
  EXPECT_EQ(finding->gain_ns, 4 * kSecond);
  EXPECT_EQ(finding->frames, std::vector<std::string>{"collect at job.py:9"});
  sql.plan.metrics[0].value -= 1;
  EXPECT_FALSE(Find("large-broadcast").has_value());
}

TEST_F(ResourceRulesTest, AFilterThatKeepsOneRowInTenShouldBePushedDown) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  SqlExecution& sql = AddQuery("Filter", {{"number of output rows", "sum", 1, true, 100'000}});
  PlanNode scan;
  scan.name = "Scan parquet ";
  scan.text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [], ReadSchema: struct<id:bigint>";
  scan.stages = {3};
  scan.metrics = {{"number of output rows", "sum", 2, true, 1'000'000}};
  PlanNode columns;
  columns.name = "ColumnarToRow";
  columns.children = {scan};
  sql.plan.children = {columns};
  const auto finding = Find("unpushed-filter");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A scan reads 1000000 rows for 100000 that a filter keeps");
  sql.plan.metrics[0].value += 1;
  EXPECT_FALSE(Find("unpushed-filter").has_value());
  sql.plan.metrics[0].value = 1;
  sql.plan.children[0].children[0].text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [IsNotNull(id)]";
  EXPECT_FALSE(Find("unpushed-filter").has_value());
}

TEST_F(ResourceRulesTest, CachedDataThatOneStageRanWithIsUnused) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .on_disk = false, .stages = {3}}};
  const auto finding = Find("unused-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Cached data is never read: events");
  EXPECT_EQ(finding->severity, Severity::kLow);
  application().cached_rdds[0].stages = {3, 4};
  EXPECT_FALSE(Find("unused-cache").has_value());
  application().cached_rdds[0].stages = {3};
  application().ended = false;
  EXPECT_FALSE(Find("unused-cache").has_value());
}

TEST_F(ResourceRulesTest, FiveBlocksThatDoNotFitAreAnEvictedCache) {
  LogTemplate dropped, refused;
  dropped.text = "Dropping block <*> from memory";
  dropped.count = 3;
  refused.text = "Not enough space to cache <*> in memory! (computed <*> so far)";
  refused.count = 2;
  application().logs.templates = {{}, dropped, refused};
  EXPECT_TRUE(Find("evicted-cache").has_value());
  application().logs.templates[1].count = 2;
  EXPECT_FALSE(Find("evicted-cache").has_value());
}

TEST_F(ResourceRulesTest, BatchesThatGrowBecauseRowsArriveFasterAreBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = "counts", .failure = {}});
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1, 100, 111, 100);
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1.3, 120, 111, 100);
  const auto finding = Find("streaming-behind");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Streaming query counts: rows arrive 1.1 times as fast as they are processed");
  for (StreamingBatch& batch : application().streaming_batches) batch.duration_ns = kSecond;
  EXPECT_FALSE(Find("streaming-behind").has_value());
}

TEST_F(ResourceRulesTest, AStreamingQueryThatKeepsUpIsNotBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1, 100, 109, 100);
  for (int i = 0; i < 3; ++i) AddStreamingBatch(2, 200, 109, 100);
  EXPECT_FALSE(Find("streaming-behind").has_value());
}

TEST_F(ResourceRulesTest, AHeapUsedToTwoFifthsIsTooLarge) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  application().series = {
      {"jvm.heap_max_bytes", executor_, -1, SeriesKind::kGauge, {{ApplicationBuilder::Time(1), 10240 * kMebibyte}}},
      {"jvm.heap_used_bytes", executor_, -1, SeriesKind::kGauge, {{ApplicationBuilder::Time(1), 4096 * kMebibyte}}}};
  const auto finding = Find("unused-memory");
  ASSERT_TRUE(finding.has_value());
  EXPECT_NE(finding->change.find("spark.executor.memory=6144m"), std::string::npos) << finding->change;
  application().series[1].points[0].value += kMebibyte;
  EXPECT_FALSE(Find("unused-memory").has_value());
}

TEST_F(ResourceRulesTest, LoadingClassesForThreeTenthsOfTheCpuTimeIsWarmingUp) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 10);
  const StackId job = builder_.AddStack({"com.example.Job.run"});
  const StackId loading =
      builder_.AddStack({"com.example.Job.run", "java.lang.ClassLoader.loadClass", "com.example.Classes.read"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, job, 7 * kSecond);
  builder_.AddSample(Event::kCpu, 3, worker_, 1, loading, 3 * kSecond);
  const auto finding = Find("warm-up");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "The JVMs spend 30.0% of their CPU time on warming up");
  EXPECT_EQ(finding->severity, Severity::kLow);
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Find("warm-up").has_value());
}

}  // namespace
}  // namespace sparkprof
