// SPDX-License-Identifier: Apache-2.0
// Cached data that nobody reads (unused-cache) or that is not kept (evicted-cache).
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class CachedDataTest : public StageFindingTest {
 protected:
  CachedDataTest() : StageFindingTest(4) {}
};

TEST_F(CachedDataTest, CachedDataThatOneStageRanWithIsUnused) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .on_disk = false, .stages = {3}}};
  const Finding finding = Found("unused-cache");
  EXPECT_EQ(Weighed(finding), "medium, saves 8.0 s (4.0 s to 12.5 s); cpu of stage 3; events in stage 3");
  EXPECT_EQ(finding.title, "Cached data is never read: events");
  application().cached_rdds[0].stages = {3, 4};
  EXPECT_FALSE(Finds("unused-cache"));
  application().cached_rdds[0].stages = {3};
  application().name = "Spark shell";
  EXPECT_FALSE(Finds("unused-cache")) << "its user may have wanted to read it";
  application().name = "example";
  application().ended = false;
  EXPECT_FALSE(Finds("unused-cache"));
  application().ended = true;
  application().cached_rdds[0].name = "Delta Table State #3 - file:/data/_delta_log";
  EXPECT_FALSE(Finds("unused-cache")) << "it is not the user's";
}

TEST_F(CachedDataTest, CachedDataThatOnlyTheQueryThatComputesItReadsIsUnused) {
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
  const Finding finding = Found("unused-cache");
  EXPECT_EQ(finding.what, "Only the query that computed the data read it, once");
  application().stages.back().sql_execution = 3;
  EXPECT_FALSE(Finds("unused-cache")) << "another query reads it";
  application().stages.back().sql_execution = 2;
  application().sql_executions[0].plan.children.push_back({.name = "InMemoryTableScan"});
  EXPECT_FALSE(Finds("unused-cache")) << "it reads it twice";
}

TEST_F(CachedDataTest, StepsThatAreCachedAndReadOnceEachAreNamed) {
  // A count fills each step and the next step reads it; Spark lists all caches in the lineage of a stage.
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
  const Finding finding = Found("unused-cache");
  EXPECT_EQ(finding.title, "3 cached data sets are read only once each");
  EXPECT_TRUE(finding.evidence.starts_with("the stages that fill them take 60.0 s")) << finding.evidence;
  EXPECT_FALSE(Finds("evicted-cache")) << "no cache has several readers";
  application().cached_rdds.pop_back();
  EXPECT_FALSE(Finds("unused-cache"));
}

TEST_F(CachedDataTest, FiveBlocksThatDoNotFitAreAnEvictedCache) {
  LogTemplate dropped, refused;
  dropped.text = "Dropping block <*> from memory";
  dropped.count = 3;
  refused.text = "Not enough space to cache <*> in memory! (computed <*> so far)";
  refused.count = 2;
  application().logs.templates = {{}, dropped, refused};
  EXPECT_TRUE(Finds("evicted-cache"));
  application().logs.templates[1].count = 2;
  EXPECT_FALSE(Finds("evicted-cache"));
}

TEST_F(CachedDataTest, BlocksThatNeverGotIntoMemoryAreComputedAgainByEachStageThatReadsAll) {
  builder_.AddTask(1, stage_, executor_, 0, 30, 30);
  builder_.AddTask(2, builder_.AddStage(4, 0, 0), executor_, 30, 50, 20);
  for (Stage& stage : application().stages) {
    stage.task_count = 16;
    stage.status = RunStatus::kSucceeded;
  }
  CachedRdd rdd{.id = 7, .name = "texts", .in_memory = true, .partition_count = 16, .stages = {3, 4}};
  rdd.stored = {{ApplicationBuilder::Time(20), 11, 1 << 20, 0}};
  application().cached_rdds = {rdd};
  const Finding finding = Found("evicted-cache");
  EXPECT_EQ(finding.what,
            "5 blocks of cached data could not be kept; they are computed again whenever they are needed");
  EXPECT_EQ(finding.evidence, "5 of 16 partitions of texts were never in memory");
  application().stages.back().task_count = 1;
  EXPECT_FALSE(Finds("evicted-cache")) << "the second one reads one partition, such as take()";
}

TEST_F(CachedDataTest, PartitionsWhoseTasksReadTheSourceAgainWereNotKept) {
  const int32_t reader = builder_.AddStage(4, 0, 0);
  application().executors[0].cores = 1;
  const auto add_task = [&](int32_t stage, int32_t index, double begin, int64_t bytes) {
    const size_t row = builder_.AddTask(100 * stage + index, stage, executor_, begin, begin + 2, 2);
    tasks().index[row] = index;
    tasks().Column(TaskMetric::kInputBytes)[row] = bytes;
  };
  for (int32_t index = 0; index < 8; ++index) {
    add_task(stage_, index, 2 * index, 1'000 + index);
    // The first three blocks are in memory.
    add_task(reader, index, 20 + 2 * index, index < 3 ? 5'000 : 1'000 + index);
  }
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .partition_count = 8, .stages = {3, 4}}};
  const Finding finding = Found("evicted-cache");
  EXPECT_EQ(finding.title, "5 of 8 cached partitions do not fit into memory: 1 later stage computes them again");
  EXPECT_EQ(finding.stages, std::vector<int64_t>{4});
  EXPECT_EQ(Weighed(finding),
            "medium, saves 8.0 s (4.0 s to 12.5 s); cpu; 10.0 s of task time in 5 tasks that read as many bytes as "
            "those that filled the cache");
  application().cached_rdds[0].on_disk = true;
  EXPECT_FALSE(Finds("evicted-cache"));
}

TEST_F(CachedDataTest, BlocksThatWereEvictedAreComputedAgainUnlessTheyAreOnDisk) {
  builder_.AddTask(1, stage_, executor_, 0, 30, 30);
  const int32_t second = builder_.AddStage(4, 0, 0);
  builder_.AddTask(2, second, executor_, 30, 50, 20);
  CachedRdd rdd{.id = 7, .name = "events", .in_memory = true, .partition_count = 10, .stages = {3, 4}};
  rdd.stored = {{ApplicationBuilder::Time(20), 10, 1 << 20, 0}};
  rdd.evicted_blocks = 5;
  application().cached_rdds = {rdd};
  const Finding finding = Found("evicted-cache");
  EXPECT_EQ(Weighed(finding), "medium, saves 12.0 s (6.0 s to 18.8 s); cpu; 5 of 10 partitions of events were evicted");
  EXPECT_EQ(finding.what, "5 blocks of cached data were evicted; they are computed again whenever they are needed");
  application().cached_rdds[0].on_disk = true;
  EXPECT_NE(Found("evicted-cache").what.find("they are read from disk"), std::string::npos);
  application().cached_rdds[0].evicted_blocks = 4;
  EXPECT_FALSE(Finds("evicted-cache"));
}

TEST_F(CachedDataTest, StagesThatReadDataOnDiskOnlyMayReadItFromMemory) {
  for (int64_t stage = 3; stage < 6; ++stage) {
    const int32_t row = stage == 3 ? stage_ : builder_.AddStage(stage, 0, 0);
    const auto begin = static_cast<double>(20 * (stage - 3));
    builder_.AddTask(stage, row, executor_, begin, begin + 20, 20);
  }
  application().cached_rdds = {{.id = 7, .name = "points", .on_disk = true, .stages = {3, 4, 5}}};
  const Finding finding = Found("evicted-cache");
  EXPECT_EQ(finding.title, "2 stages read data that is cached on disk only");
  EXPECT_EQ(finding.stages, (std::vector<int64_t>{4, 5}));
  application().cached_rdds[0].stages = {3, 4};
  EXPECT_FALSE(Finds("evicted-cache"));
  application().cached_rdds[0].stages = {3, 4, 5};
  application().cached_rdds[0].in_memory = true;
  EXPECT_FALSE(Finds("evicted-cache"));
}

TEST_F(CachedDataTest, StagesThatReadAFullCacheAndTakeAsLongAsItsFirstComputeItAgain) {
  for (int64_t stage = 3; stage < 6; ++stage) {
    const int32_t row = stage == 3 ? stage_ : builder_.AddStage(stage, 0, 0);
    const double begin = static_cast<double>(stage - 3) * 10;
    builder_.AddTask(stage, row, executor_, begin, begin + (stage == 3 ? 10 : 4), 1);
  }
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .stages = {3, 4, 5}}};
  application().executors[0].max_memory_bytes = 100;
  application().executors[0].peak_metrics = {{"OnHeapStorageMemory", 80}};
  EXPECT_EQ(Found("evicted-cache").saving.likely_ns, 4 * kSecond);
  application().executors[0].peak_metrics[0].second = 79;
  EXPECT_FALSE(Finds("evicted-cache"));
  application().executors[0].peak_metrics[0].second = 80;
  application().cached_rdds[0].on_disk = true;
  EXPECT_FALSE(Finds("evicted-cache"));
}

}  // namespace
}  // namespace sparkprof
