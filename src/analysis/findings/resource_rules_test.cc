// SPDX-License-Identifier: Apache-2.0
// Rules about what a job makes of its machines: cpu-starved, few-partitions, speculation, large-broadcast,
// unpushed-filter, unused-cache, evicted-cache, streaming-behind, unused-memory, warm-up.
#include <gtest/gtest.h>

#include <utility>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"
#include "analysis/testing/finding_text.h"

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
    Answers answers = Answer(builder_.application());
    for (std::vector<Finding>* list : {&answers.findings, &answers.context}) {
      for (Finding& finding : *list) {
        if (finding.rule == rule) return std::move(finding);
      }
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
  EXPECT_EQ(Weighed(*finding),
            "low, saves 600 ms (0 ns to 1.8 s); wall of stage 3; 3.0 s of 10.0 s of wall-clock samples");
  EXPECT_EQ(finding->title, "Stage 3: tasks wait for a CPU for 30.0% of their time");
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(0.6));
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Find("cpu-starved").has_value());
}

TEST_F(ResourceRulesTest, TasksThatWaitForTheCpusOfOthersAreANoteAboutTheRun) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 4);
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, stack, 4 * kSecond);
  builder_.AddSample(Event::kWall, 3, worker_, 1, stack, 10 * kSecond).state = ThreadState::kRunning;
  const double slots = static_cast<double>(application().executors[static_cast<size_t>(executor_)].cores);
  const auto use = [&](double cores) {
    application().series.resize(1);
    ApplicationSeries& cpu = application().series.front();
    cpu = {"process.cpu_ns", executor_, -1, SeriesKind::kCounter, {}};
    cpu.points = {{application().start_ns, 0}, {application().start_ns + 10 * kSecond, 10.0 * kSecond * cores}};
  };
  use(0.79 * slots);
  EXPECT_TRUE(Find("cpu-starved")->is_context);
  use(0.81 * slots);
  EXPECT_FALSE(Find("cpu-starved")->is_context) << "it competes with itself";
  // More slots than CPUs are its own fault.
  use(0.5);
  application().series.push_back({"process.allowed_cpus", executor_, -1, SeriesKind::kGauge, {}});
  application().series.back().points = {{application().start_ns, 0.5}};
  EXPECT_FALSE(Find("cpu-starved")->is_context);
}

TEST_F(ResourceRulesTest, ALongStageWithTasksForHalfOfTheCoresHasFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 10);
  builder_.AddTask(2, stage_, executor_, 0, 10, 10);
  const auto finding = Find("few-partitions");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding), "medium, saves 4.0 s (2.0 s to 5.0 s); cpu of stage 3; the longest task took 10.0 s");
  EXPECT_EQ(finding->title, "Stage 3: 2 tasks for 4 cores");
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(4));
  EXPECT_EQ(finding->frames, std::vector<std::string>{"count at Job.scala:12"});
  builder_.AddTask(3, stage_, executor_, 0, 10, 10);
  EXPECT_FALSE(Find("few-partitions").has_value());
}

TEST_F(ResourceRulesTest, StagesAtTheSameTimeShareTheCores) {
  const int32_t other = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 0; tid < 4; ++tid) builder_.AddTask(tid, tid < 2 ? stage_ : other, executor_, 0, 10, 10);
  EXPECT_FALSE(Find("few-partitions").has_value());
  for (const size_t row : {size_t{2}, size_t{3}}) {
    application().tasks.launch_ns[row] = ApplicationBuilder::Time(20);
    application().tasks.finish_ns[row] = ApplicationBuilder::Time(30);
  }
  ASSERT_TRUE(Find("few-partitions").has_value());
  EXPECT_NE(Find("few-partitions")->what.find("and 2 cores had nothing to do"), std::string::npos);
}

TEST_F(ResourceRulesTest, WhatEachTaskNeedsToStartIsNotDividedByMorePartitions) {
  application().end_ns = ApplicationBuilder::Time(10);
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 7, 2);
  EXPECT_TRUE(Find("few-partitions").has_value());
  application().tasks.Column(TaskMetric::kExecutorRunTime)[row] = ApplicationBuilder::Nanos(1.9);
  EXPECT_FALSE(Find("few-partitions").has_value());
}

TEST_F(ResourceRulesTest, CopiesOfTasksAreNoPartitions) {
  for (int64_t tid = 0; tid < 3; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 10, 10);
  application().stages[0].task_count = 2;
  application().tasks.speculative[2] = 1;
  ASSERT_TRUE(Find("few-partitions").has_value());
  EXPECT_EQ(Find("few-partitions")->title, "Stage 3: 2 tasks for 4 cores");
}

TEST_F(ResourceRulesTest, AdviceOnPartitionsNamesWhatDecidesTheirNumber) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 20);
  application().stages[0].task_count = 1;
  application().tasks.Column(TaskMetric::kShuffleReadBytes)[0] = int64_t{1} << 30;
  const auto change = [&] { return Find("few-partitions")->change; };
  EXPECT_NE(change().find("a higher number in the operation that shuffles"), std::string::npos) << change();
  application().stages[0].sql_execution = 5;
  AddQuery("Exchange", {}).plan.text = "Exchange hashpartitioning(id#1, 200), ENSURE_REQUIREMENTS";
  EXPECT_NE(change().find("no coalesce(1), a smaller spark.sql.adaptive.advisoryPartitionSizeInBytes, or a higher"),
            std::string::npos)
      << change();
  application().spark_version = "2.4.8";
  EXPECT_EQ(change().find("adaptive"), std::string::npos) << change();
  application().sql_executions[0].plan.text = "Exchange RoundRobinPartitioning(1), REPARTITION_BY_NUM";
  EXPECT_NE(change().find("a higher number in the repartition() before the stage"), std::string::npos) << change();
}

TEST_F(ResourceRulesTest, AShortStageMayHaveFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 9.9, 9);
  EXPECT_FALSE(Find("few-partitions").has_value());
}

TEST_F(ResourceRulesTest, ATaskThatStartsAPythonWorkerIsNotDividedByMorePartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 1);
  const StackId starting = builder_.AddStack({"org.apache.spark.api.python.BasePythonRunner.compute",
                                              "org.apache.spark.api.python.PythonWorkerFactory.create"});
  builder_.AddSample(Event::kWall, 1, worker_, 1, starting, 12 * kSecond);
  EXPECT_FALSE(Find("few-partitions").has_value()) << "8 s of work in 100 s";
  application().profile.samples[0].weight -= 2 * kSecond;
  const auto finding = Find("few-partitions");
  ASSERT_TRUE(finding.has_value());
  EXPECT_NE(finding->evidence.find("; 10.0 s of it to start Python workers"), std::string::npos) << finding->evidence;
}

TEST_F(ResourceRulesTest, CopiesOfTasksThatLoseAreWaste) {
  builder_.AddTask(1, stage_, executor_, 0, 9, 9);
  const size_t copy = builder_.AddTask(2, stage_, executor_, 0, 1, 1);
  application().tasks.speculative[copy] = 1;
  application().tasks.outcome[copy] = TaskOutcome::kKilled;
  const auto finding = Find("speculation");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "low, saves 450 ms (180 ms to 810 ms); wall of stage 3; 1.0 s of task time in copies that were killed");
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
  EXPECT_EQ(Weighed(*finding), "low, saves 2.0 s (800 ms to 3.6 s); cpu; 4.0 s to collect, build and send it");
  EXPECT_EQ(finding->title, "A join broadcasts 100 MiB");
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(2));
  EXPECT_EQ(finding->frames, std::vector<std::string>{"collect at job.py:9"});
  sql.plan.metrics[0].value -= 1;
  EXPECT_FALSE(Find("large-broadcast").has_value());
}

TEST_F(ResourceRulesTest, AFilterThatKeepsOneRowInTenShouldBePushedDown) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  SqlExecution& sql = AddQuery("Filter", {{"number of output rows", "sum", 1, true, 100'000}});
  sql.plan.text = "Filter (id#0L > 5)";
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
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 10.0 s (0 ns to 30.0 s); cpu; Filter (id#0L > 5); its stages take 50.0 s");
  EXPECT_EQ(finding->title, "A scan reads 1,000,000 rows for 100,000 that a filter keeps");
  sql.plan.metrics[0].value += 1;
  EXPECT_FALSE(Find("unpushed-filter").has_value());
  sql.plan.metrics[0].value = 1;
  // With each comparison, Spark pushes down that the column is not null.
  std::string& text = sql.plan.children[0].children[0].text;
  text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [IsNotNull(id)]";
  EXPECT_TRUE(Find("unpushed-filter").has_value());
  text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [IsNotNull(id), GreaterThan(id,5)]";
  EXPECT_FALSE(Find("unpushed-filter").has_value());
}

TEST_F(ResourceRulesTest, CachedDataThatOneStageRanWithIsUnused) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .on_disk = false, .stages = {3}}};
  const auto finding = Find("unused-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding), "medium, saves 8.0 s (4.0 s to 10.0 s); cpu of stage 3; events in stage 3");
  EXPECT_EQ(finding->title, "Cached data is never read: events");
  application().cached_rdds[0].stages = {3, 4};
  EXPECT_FALSE(Find("unused-cache").has_value());
  application().cached_rdds[0].stages = {3};
  application().name = "Spark shell";
  EXPECT_FALSE(Find("unused-cache").has_value()) << "its user may have wanted to read it";
  application().name = "example";
  application().ended = false;
  EXPECT_FALSE(Find("unused-cache").has_value());
  application().ended = true;
  application().cached_rdds[0].name = "Delta Table State #3 - file:/data/_delta_log";
  EXPECT_FALSE(Find("unused-cache").has_value()) << "it is not the user's";
}

TEST_F(ResourceRulesTest, CachedDataThatOnlyTheQueryThatComputesItReadsIsUnused) {
  builder_.AddStage(4, 0, 0);
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  SqlExecution sql;
  sql.id = 2;
  sql.plan.name = "HashAggregate";
  sql.plan.children = {{.name = "InMemoryTableScan"}};
  application().sql_executions = {sql};
  for (Stage& stage : application().stages) stage.sql_execution = 2;
  for (Stage& stage : application().stages) stage.status = RunStatus::kSucceeded;
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .on_disk = false, .stages = {3, 4}}};
  const auto finding = Find("unused-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->what, "Only the query that computed the data read it, once");
  application().stages.back().sql_execution = 3;
  EXPECT_FALSE(Find("unused-cache").has_value()) << "another query reads it";
  application().stages.back().sql_execution = 2;
  application().sql_executions[0].plan.children.push_back({.name = "InMemoryTableScan"});
  EXPECT_FALSE(Find("unused-cache").has_value()) << "it reads it twice";
}

TEST_F(ResourceRulesTest, StepsThatAreCachedAndReadOnceEachAreNamed) {
  // Each step is filled by a count, and read by the next one; Spark lists all caches behind a stage.
  for (int64_t stage = 3; stage < 7; ++stage) {
    const int32_t row = stage == 3 ? stage_ : builder_.AddStage(stage, 0, stage);
    application().stages.back().status = RunStatus::kSucceeded;
    application().stages.back().sql_execution = stage;
    const auto begin = static_cast<double>(20 * (stage - 3));
    builder_.AddTask(stage, row, executor_, begin, begin + 20, 20);
  }
  application().stages.front().status = RunStatus::kSucceeded;
  application().stages.front().sql_execution = 3;
  for (int64_t step = 0; step < 3; ++step) {
    CachedRdd& rdd = application().cached_rdds.emplace_back();
    rdd.id = 10 + step;
    rdd.on_disk = true;
    for (int64_t stage = 3 + step; stage < 7; ++stage) rdd.stages.push_back(stage);
  }
  const auto finding = Find("unused-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "3 cached data sets are read only once each");
  EXPECT_TRUE(finding->evidence.starts_with("the stages that fill them take 60.0 s")) << finding->evidence;
  EXPECT_FALSE(Find("evicted-cache").has_value()) << "no cache has several readers";
  application().cached_rdds.pop_back();
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

TEST_F(ResourceRulesTest, BlocksThatNeverGotIntoMemoryAreComputedAgainByEachStageThatReadsAll) {
  builder_.AddTask(1, stage_, executor_, 0, 30, 30);
  builder_.AddTask(2, builder_.AddStage(4, 0, 0), executor_, 30, 50, 20);
  for (Stage& stage : application().stages) {
    stage.task_count = 16;
    stage.status = RunStatus::kSucceeded;
  }
  CachedRdd rdd{.id = 7, .name = "texts", .in_memory = true, .partition_count = 16, .stages = {3, 4}};
  rdd.stored = {{ApplicationBuilder::Time(20), 11, 1 << 20, 0}};
  application().cached_rdds = {rdd};
  const auto finding = Find("evicted-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->what,
            "5 blocks of cached data could not be kept; they are computed again whenever they are needed");
  EXPECT_EQ(finding->evidence, "5 of 16 partitions of texts were never in memory");
  application().stages.back().task_count = 1;
  EXPECT_FALSE(Find("evicted-cache").has_value()) << "the second one reads one partition, such as take()";
}

TEST_F(ResourceRulesTest, PartitionsWhoseTasksReadTheSourceAgainWereNotKept) {
  const int32_t reader = builder_.AddStage(4, 0, 0);
  application().executors[0].cores = 1;
  const auto add_task = [&](int32_t stage, int32_t index, double begin, int64_t bytes) {
    const size_t row = builder_.AddTask(100 * stage + index, stage, executor_, begin, begin + 2, 2);
    application().tasks.index[row] = index;
    application().tasks.Column(TaskMetric::kInputBytes)[row] = bytes;
  };
  for (int32_t index = 0; index < 8; ++index) {
    add_task(stage_, index, 2 * index, 1'000 + index);
    // The blocks of the first three are in memory.
    add_task(reader, index, 20 + 2 * index, index < 3 ? 5'000 : 1'000 + index);
  }
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .partition_count = 8, .stages = {3, 4}}};
  const auto finding = Find("evicted-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "5 of 8 cached partitions do not fit into memory: 1 later stage computes them again");
  EXPECT_EQ(finding->stages, std::vector<int64_t>{4});
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 8.0 s (4.0 s to 10.0 s); cpu; 10.0 s of task time in 5 tasks that read as many bytes as "
            "those that filled the cache");
  application().cached_rdds[0].on_disk = true;
  EXPECT_FALSE(Find("evicted-cache").has_value());
}

TEST_F(ResourceRulesTest, BlocksThatWereEvictedAreComputedAgainUnlessTheyAreOnDisk) {
  builder_.AddTask(1, stage_, executor_, 0, 30, 30);
  const int32_t second = builder_.AddStage(4, 0, 0);
  builder_.AddTask(2, second, executor_, 30, 50, 20);
  CachedRdd rdd{.id = 7, .name = "events", .in_memory = true, .partition_count = 10, .stages = {3, 4}};
  rdd.stored = {{ApplicationBuilder::Time(20), 10, 1 << 20, 0}};
  rdd.evicted_blocks = 5;
  application().cached_rdds = {rdd};
  const auto finding = Find("evicted-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 12.0 s (6.0 s to 15.0 s); cpu; 5 of 10 partitions of events were evicted");
  EXPECT_EQ(finding->what, "5 blocks of cached data were evicted; they are computed again whenever they are needed");
  application().cached_rdds[0].on_disk = true;
  EXPECT_NE(Find("evicted-cache")->what.find("they are read from disk"), std::string::npos);
  application().cached_rdds[0].evicted_blocks = 4;
  EXPECT_FALSE(Find("evicted-cache").has_value());
}

TEST_F(ResourceRulesTest, StagesThatReadDataOnDiskOnlyMayReadItFromMemory) {
  for (int64_t stage = 3; stage < 6; ++stage) {
    const int32_t row = stage == 3 ? stage_ : builder_.AddStage(stage, 0, 0);
    const auto begin = static_cast<double>(20 * (stage - 3));
    builder_.AddTask(stage, row, executor_, begin, begin + 20, 20);
  }
  application().cached_rdds = {{.id = 7, .name = "points", .on_disk = true, .stages = {3, 4, 5}}};
  const auto finding = Find("evicted-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "2 stages read data that is cached on disk only");
  EXPECT_EQ(finding->stages, (std::vector<int64_t>{4, 5}));
  application().cached_rdds[0].stages = {3, 4};
  EXPECT_FALSE(Find("evicted-cache").has_value());
  application().cached_rdds[0].stages = {3, 4, 5};
  application().cached_rdds[0].in_memory = true;
  EXPECT_FALSE(Find("evicted-cache").has_value());
}

TEST_F(ResourceRulesTest, StagesThatReadAFullCacheAndTakeAsLongAsItsFirstComputeItAgain) {
  for (int64_t stage = 3; stage < 6; ++stage) {
    const int32_t row = stage == 3 ? stage_ : builder_.AddStage(stage, 0, 0);
    const double begin = static_cast<double>(stage - 3) * 10;
    builder_.AddTask(stage, row, executor_, begin, begin + (stage == 3 ? 10 : 4), 1);
  }
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .stages = {3, 4, 5}}};
  application().executors[0].max_memory_bytes = 100;
  application().executors[0].peak_metrics = {{"OnHeapStorageMemory", 80}};
  ASSERT_TRUE(Find("evicted-cache").has_value());
  EXPECT_EQ(Find("evicted-cache")->saving.likely_ns, 4 * kSecond);
  application().executors[0].peak_metrics[0].second = 79;
  EXPECT_FALSE(Find("evicted-cache").has_value());
  application().executors[0].peak_metrics[0].second = 80;
  application().cached_rdds[0].on_disk = true;
  EXPECT_FALSE(Find("evicted-cache").has_value());
}

TEST_F(ResourceRulesTest, BatchesThatGrowBecauseRowsArriveFasterAreBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = "counts", .failure = {}});
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1, 100, 111, 100);
  for (int i = 0; i < 3; ++i) AddStreamingBatch(1.3, 120, 111, 100);
  const auto finding = Find("streaming-behind");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "low, saves 309 ms (155 ms to 386 ms); cpu; 6 batches with rows: 1.0 s on average in the first half, 1.3 "
            "s in the second; the longest 1.3 s");
  EXPECT_EQ(finding->title, "Streaming query counts: rows arrive 1.1 times as fast as they are processed");
  for (StreamingBatch& batch : application().streaming_batches) batch.duration_ns = kSecond;
  EXPECT_FALSE(Find("streaming-behind").has_value());
}

TEST_F(ResourceRulesTest, AFewLongBatchesThatRowsOutrunAreBehind) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = "counts", .failure = {}});
  AddStreamingBatch(30, 600, 40, 20);
  const auto finding = Find("streaming-behind");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->evidence, "one batch with rows; the longest takes 30.0 s");
  StreamingBatch& batch = application().streaming_batches.front();
  batch.duration_ns -= 1;
  EXPECT_FALSE(Find("streaming-behind").has_value());
  batch.duration_ns += 1;
  batch.processed_rows_per_second += 1;
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
  EXPECT_EQ(Weighed(*finding), "low, saves no known time; alloc; peaks of the executors' heaps");
  EXPECT_NE(finding->change.find("spark.executor.memory=5376m"), std::string::npos) << finding->change;
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
  EXPECT_EQ(Weighed(*finding),
            "low, saves no known time; cpu; CPU samples of compiler threads, and of stacks that load classes");
  EXPECT_EQ(finding->title, "The JVMs spend 30.0% of their CPU time on warming up");
  EXPECT_EQ(finding->severity, Severity::kLow);
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Find("warm-up").has_value());
}

TEST_F(ResourceRulesTest, TasksThatStarveForLessThanTwoSecondsDoNotStarve) {
  builder_.AddTask(1, stage_, executor_, 0, 5, 3);
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, stack, 3 * kSecond);
  builder_.AddSample(Event::kWall, 3, worker_, 1, stack, 5 * kSecond).state = ThreadState::kRunning;
  EXPECT_TRUE(Find("cpu-starved").has_value());
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Find("cpu-starved").has_value());
}

TEST_F(ResourceRulesTest, TasksThatWaitForTheCompilerOfTheirOwnJvmDoNotStarve) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 4);
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, stack, 4 * kSecond);
  builder_.AddSample(Event::kWall, 3, worker_, 1, stack, 10 * kSecond).state = ThreadState::kRunning;
  const uint32_t compiler = builder_.AddThread(9, "C2 CompilerThre", executor_);
  builder_.AddSample(Event::kCpu, 3, compiler, kNoTask, stack, 3 * kSecond);
  EXPECT_TRUE(Find("cpu-starved").has_value()) << "for 6 s, of which the compiler explains 3 s";
  application().profile.samples.back().weight += 1;
  EXPECT_FALSE(Find("cpu-starved").has_value());
  application().profile.samples.back().time_ns += 10 * kSecond;
  EXPECT_TRUE(Find("cpu-starved").has_value()) << "it computes after them";
}

TEST_F(ResourceRulesTest, StarvingWeighsAsMuchAsItCostsFromSixTenthsOfTheTimeOn) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 20);
  const StackId stack = builder_.AddStack({"com.example.Job.run"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, stack, 20 * kSecond);
  builder_.AddSample(Event::kWall, 3, worker_, 1, stack, 50 * kSecond).state = ThreadState::kRunning;
  EXPECT_EQ(Find("cpu-starved")->severity, Severity::kMedium);
  application().profile.samples[0].weight += 1;
  EXPECT_EQ(Find("cpu-starved")->severity, Severity::kMedium);
}

TEST_F(ResourceRulesTest, FewPartitionsMatterInStagesOfTwoSecondsAndATenthOfTheTime) {
  application().end_ns = ApplicationBuilder::Time(10);
  builder_.AddTask(1, stage_, executor_, 0, 2, 2);
  EXPECT_TRUE(Find("few-partitions").has_value());
  application().end_ns = ApplicationBuilder::Time(20);
  EXPECT_TRUE(Find("few-partitions").has_value());
  application().end_ns += 10;
  EXPECT_FALSE(Find("few-partitions").has_value()) << "less than a tenth of the time";
  application().end_ns = ApplicationBuilder::Time(10);
  application().tasks.finish_ns[0] -= 1;
  EXPECT_FALSE(Find("few-partitions").has_value()) << "less than two seconds";
}

TEST_F(ResourceRulesTest, AStageWhoseTasksAreNotAllKnownHasNoFewPartitions) {
  builder_.AddTask(1, stage_, executor_, 0, 20, 20);
  application().stages[0].task_count = 1;
  EXPECT_TRUE(Find("few-partitions").has_value());
  application().stages[0].task_count = 2;
  EXPECT_FALSE(Find("few-partitions").has_value());
}

TEST_F(ResourceRulesTest, CopiesThatLoseLittleAreNoWaste) {
  builder_.AddTask(1, stage_, executor_, 0, 4.5, 4.5);
  const size_t copy = builder_.AddTask(2, stage_, executor_, 0, 0.5, 0.5);
  application().tasks.speculative[copy] = 1;
  application().tasks.outcome[copy] = TaskOutcome::kKilled;
  EXPECT_TRUE(Find("speculation").has_value());
  builder_.AddTask(3, stage_, executor_, 0, 0.1, 0.1);
  EXPECT_FALSE(Find("speculation").has_value()) << "less than a tenth of the task time";
  application().tasks.finish_ns[copy] += kSecond;
  EXPECT_TRUE(Find("speculation").has_value());
}

TEST_F(ResourceRulesTest, CopiesThatLoseLessThanHalfASecondAreNoWaste) {
  builder_.AddTask(1, stage_, executor_, 0, 1, 1);
  const size_t copy = builder_.AddTask(2, stage_, executor_, 0, 0.5, 0.5);
  application().tasks.speculative[copy] = 1;
  application().tasks.outcome[copy] = TaskOutcome::kKilled;
  EXPECT_TRUE(Find("speculation").has_value());
  application().tasks.finish_ns[copy] -= 1;
  EXPECT_FALSE(Find("speculation").has_value());
}

TEST_F(ResourceRulesTest, FourBatchesTellNothingAboutAStreamingQuery) {
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  for (int i = 0; i < 2; ++i) AddStreamingBatch(1, 100, 200, 100);
  for (int i = 0; i < 2; ++i) AddStreamingBatch(1.2, 120, 200, 100);
  EXPECT_FALSE(Find("streaming-behind").has_value());
  AddStreamingBatch(9, 0, 200, 100);  // had nothing to do
  EXPECT_FALSE(Find("streaming-behind").has_value());
  AddStreamingBatch(1.2, 120, 200, 100);
  const auto finding = Find("streaming-behind");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Streaming query r: rows arrive 2.0 times as fast as they are processed");
  application().streaming_batches.back().duration_ns -= kSecond / 10;
  EXPECT_FALSE(Find("streaming-behind").has_value()) << "batches are 1.17 times as long";
}

TEST_F(ResourceRulesTest, AHeapBelowFourGibibytesIsNotWorthChanging) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  application().series = {
      {"jvm.heap_max_bytes", executor_, -1, SeriesKind::kGauge, {{ApplicationBuilder::Time(1), 4096 * kMebibyte}}},
      {"jvm.heap_used_bytes", executor_, -1, SeriesKind::kGauge, {{ApplicationBuilder::Time(1), 1024 * kMebibyte}}}};
  EXPECT_TRUE(Find("unused-memory").has_value());
  application().series[0].points[0].value -= 1;
  EXPECT_FALSE(Find("unused-memory").has_value());
}

TEST_F(ResourceRulesTest, AHeapIsNotReducedBelowAGibibyteNorOnDatabricks) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  application().executors[0].peak_metrics = {{"JVMHeapMemory", int64_t{200} << 20}};
  application().environment = {{"Spark", {{"spark.executor.memory", "8g"}}}};
  EXPECT_NE(Find("unused-memory")->change.find("spark.executor.memory=1g"), std::string::npos);
  application().environment[0].second.emplace_back("spark.databricks.clusterUsageTags.clusterId", "7");
  EXPECT_EQ(Find("unused-memory")->change, "Use a node type with less memory per core. This saves memory, not time");
}

TEST_F(ResourceRulesTest, AHeapIsNotReducedWhereTasksSpillOrExecutorsAreLost) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  application().executors[0].peak_metrics = {{"JVMHeapMemory", int64_t{2} << 30}};
  application().environment = {{"Spark", {{"spark.executor.memory", "8g"}}}};
  EXPECT_TRUE(Find("unused-memory").has_value());
  MetricColumn& spilled = application().tasks.Column(TaskMetric::kDiskSpilled);
  spilled[spilled.size() - 1] = 1;
  EXPECT_FALSE(Find("unused-memory").has_value());
  spilled[spilled.size() - 1] = 0;
  application().executors[0].remove_ns = ApplicationBuilder::Time(60);
  application().executors[0].remove_reason = "Command exited with code 137";
  ASSERT_TRUE(Find("lost-executors").has_value());
  EXPECT_FALSE(Find("unused-memory").has_value());
}

TEST_F(ResourceRulesTest, WarmingUpMattersInApplicationsOfTwoMinutesFromHalfASecondOn) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 10);
  const StackId loading = builder_.AddStack({"com.example.Job.run", "java.lang.Class.forName0"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, loading, kSecond / 2);
  application().end_ns = ApplicationBuilder::Time(120);
  EXPECT_TRUE(Find("warm-up").has_value());
  application().end_ns += 1;
  EXPECT_FALSE(Find("warm-up").has_value());
  application().end_ns -= 1;
  application().profile.samples[0].weight -= 1;
  EXPECT_FALSE(Find("warm-up").has_value());
}

}  // namespace
}  // namespace sparkprof
