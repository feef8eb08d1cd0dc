// SPDX-License-Identifier: Apache-2.0
// Rules about how a program reads, joins and writes data: repeated-parsing, repeated-read, schema-inference,
// file-listing, many-output-files, broadcastable-join, unpruned-partitions, delete-files, job-loop, large-closure,
// dropped-events, full-sort, serial-queries, wide-decimals.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"
#include "analysis/testing/finding_text.h"

namespace sparkprof {
namespace {

constexpr double kMebibyteOfData = 1 << 20;
constexpr char kCsvScan[] =
    "FileScan csv [id#1,name#2] Batched: false, DataFilters: [], Format: CSV, Location: InMemoryFileIndex(1 "
    "paths)[file:/data/sales.csv], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<id:int,name:string>";

PlanMetric Count(const char* name, double value) { return {name, "sum", 1, true, value}; }
PlanMetric Size(const char* name, double value) { return {name, "size", 1, true, value}; }
PlanMetric Seconds(const char* name, double value) { return {name, "timing", 1, true, value * 1e9}; }

// An application with an executor of four cores; stages follow each other.
class SourceRulesTest : public testing::Test {
 protected:
  SourceRulesTest() : executor_(builder_.AddExecutor("1", 4)) {}

  Application& application() { return builder_.application(); }

  std::optional<Finding> Find(std::string_view rule) {
    for (Finding& finding : Answer(application()).findings) {
      if (finding.rule == rule) return std::move(finding);
    }
    return std::nullopt;
  }

  // A stage of four tasks that run at once, from the end of the one before.
  int64_t AddStage(double seconds, int64_t job = 0) {
    const int64_t id = next_stage_++;
    const int32_t row = builder_.AddStage(id, 0, job);
    application().stages.back().task_count = 4;
    for (int i = 0; i < 4; ++i) builder_.AddTask(next_task_++, row, executor_, now_, now_ + seconds, seconds);
    now_ += seconds;
    return id;
  }

  // A query of one stage with this operator.
  SqlExecution& AddQuery(double seconds, PlanNode plan, const std::string& line = "collect at job.py:9") {
    const int64_t stage = AddStage(seconds);
    SqlExecution& sql = application().sql_executions.emplace_back();
    sql.id = static_cast<int64_t>(application().sql_executions.size());
    sql.description = line;
    sql.start_ns = ApplicationBuilder::Time(now_ - seconds);
    sql.end_ns = ApplicationBuilder::Time(now_);
    plan.stages = {stage};
    for (PlanNode& child : plan.children) child.stages = {stage};
    sql.plan = std::move(plan);
    application().stages.back().sql_execution = sql.id;
    return sql;
  }

  SqlExecution& AddScanQuery(double seconds, std::string text = kCsvScan) {
    return AddQuery(seconds,
                    {.name = "Scan csv ", .text = std::move(text), .metrics = {Count("number of files read", 1)}});
  }

  void AddJobOf(int64_t stage, std::string name, double begin, double end, std::string description = {}) {
    builder_.AddJob(stage, {stage});
    Job& job = application().jobs.back();
    job.name = std::move(name);
    job.description = std::move(description);
    job.submit_ns = ApplicationBuilder::Time(begin);
    job.end_ns = ApplicationBuilder::Time(end);
    for (Stage& one : application().stages) {
      if (one.id == stage) one.job = job.id;
    }
  }

  ApplicationBuilder builder_;
  const int32_t executor_;
  int64_t next_stage_ = 0, next_task_ = 1;
  double now_ = 0;
};

TEST_F(SourceRulesTest, AColumnThatIsParsedFiveTimesIsParsedAgain) {
  const auto parse = [&](int count) {
    std::string text = "Project [";
    for (int i = 0; i < count; ++i) text += "get_json_object(text#25, $.f" + std::to_string(i) + ") AS f, ";
    text += "get_json_object(other#3, $.f) AS g]";
    application().sql_executions.clear();
    AddQuery(10, {.name = "Project", .text = text});
  };
  parse(5);
  const auto finding = Find("repeated-parsing");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A query parses the same JSON text 5 times for each row");
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(4));
  EXPECT_EQ(finding->frames, std::vector<std::string>{"collect at job.py:9"});
  AddQuery(5, {.name = "Filter", .text = "Filter (get_json_object(text#9, $.a) = get_json_object(text#9, $.b))"});
  EXPECT_EQ(Find("repeated-parsing")->title, "2 queries parse the same JSON text up to 5 times for each row");
  EXPECT_EQ(Find("repeated-parsing")->saving.likely_ns, ApplicationBuilder::Nanos(6));
  parse(4);
  EXPECT_FALSE(Find("repeated-parsing").has_value());
}

TEST_F(SourceRulesTest, ColumnsThatAreCastToDecimalsOfManyDigitsBecomeObjects) {
  const auto add = [&](const std::string& schema) {
    application().sql_executions.clear();
    PlanNode project{
        .name = "Project",
        .text = "Project [cast(fee#1 as decimal(38,18)) AS fee#4, cast(tax#2 as decimal(38,18)) AS tax#5]"};
    project.children = {{.name = "Scan parquet ",
                         .text = "FileScan parquet [fee#1,tax#2] ReadSchema: struct<" + schema,
                         .metrics = {Count("number of output rows", 100'000'000)}}};
    AddQuery(80, project);
  };
  add("fee:decimal(9,3),tax:dec...");
  const auto finding = Find("wide-decimals");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "2 columns are cast to decimals of more than 18 digits, which are objects");
  EXPECT_NE(finding->what.find("makes 200,000,000 numbers objects"), std::string::npos) << finding->what;
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(16)) << "most of 400 ns for each, on four cores";
  add("fee:double,tax:decimal(38,2)>");
  EXPECT_FALSE(Find("wide-decimals").has_value());
}

TEST_F(SourceRulesTest, ThreeQueriesThatScanTheSameFileNeedACache) {
  AddScanQuery(10);
  std::string renumbered = kCsvScan;
  renumbered.replace(renumbered.find("id#1"), 4, "id#7");
  AddScanQuery(8, renumbered);
  EXPECT_FALSE(Find("repeated-read").has_value()) << "two queries";
  AddScanQuery(2);
  const auto finding = Find("repeated-read");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 4.0 s (1.6 s to 7.2 s); cpu; the stages that scan it take 20.0 s in total, the "
            "longest query 10.0 s");
  EXPECT_EQ(finding->title, "3 queries read the same data again, without a cache: csv file:/data/sales.csv");
  for (SqlExecution& sql : application().sql_executions) sql.plan.name = "CometNativeScan csv ";
  EXPECT_EQ(Find("repeated-read")->title, finding->title) << "of an engine below Spark";
  EXPECT_EQ(finding->frames, std::vector<std::string>{"collect at job.py:9"});
}

TEST_F(SourceRulesTest, PartsOfAQueryThatCallTheSameFunctionForTheSameRowsNeedACache) {
  PlanNode joined{.name = "Union"};
  const auto add_part = [&](const std::string& pattern) {
    PlanNode filter{.name = "Filter", .text = "Filter NOT RLIKE(lower(name#2), " + pattern + ")"};
    filter.children = {{.name = "Scan csv ", .text = kCsvScan}};
    filter.stages = filter.children[0].stages = {AddStage(10)};
    joined.children.push_back(filter);
  };
  for (int i = 0; i < 3; ++i) add_part("bot|crawl");
  SqlExecution& sql = AddQuery(1, joined);
  sql.plan = joined;
  const auto finding = Find("repeated-read");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title,
            "3 parts of a query call RLIKE() for the same rows again, without a cache: csv file:/data/sales.csv");
  EXPECT_NE(finding->change.find("WITH clause"), std::string::npos);
  sql.plan.children[0].text = "Filter NOT RLIKE(lower(name#2), curl)";
  EXPECT_FALSE(Find("repeated-read").has_value()) << "one query, whose parts have nothing but the scan in common";
}

TEST_F(SourceRulesTest, TasksThatReserveTwoCoresAndUseOneLeaveOneIdle) {
  AddStage(40);
  AddStage(40);
  EXPECT_FALSE(Find("task-cpus").has_value());
  application().environment = {{"Spark", {{"spark.task.cpus", "2"}}}};
  const auto finding = Find("task-cpus");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Each task reserves 2 cores and uses 1.0");
  EXPECT_EQ(finding->change,
            "Set spark.task.cpus=1, unless code of the tasks starts threads of its own. Now: spark.task.cpus=2");
  for (size_t task = 0; task < 8; ++task)
    application().tasks.Column(TaskMetric::kExecutorCpuTime)[task] = ApplicationBuilder::Nanos(60);
  EXPECT_FALSE(Find("task-cpus").has_value()) << "its code has threads";
}

TEST_F(SourceRulesTest, ACachedRddThatEachRoundShufflesLostItsPartitioner) {
  CachedRdd rdd{.id = 7, .name = "neighbours", .in_memory = true, .stages = {AddStage(10)}};
  for (int round = 0; round < 3; ++round) {
    const int64_t stage = AddStage(10);
    application().stages.back().name = "map at /home/me/Job.scala:17";
    application().tasks.Column(TaskMetric::kShuffleWriteBytes)[application().tasks.Size() - 1] = 32 << 20;
    rdd.stages.push_back(stage);
    AddStage(10);
    application().stages.back().parents = {stage};
  }
  application().cached_rdds = {rdd};
  const auto finding = Find("reshuffled-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A cached RDD is shuffled again in each of 3 stages");
  EXPECT_EQ(finding->evidence, "writing it takes 30.0 s, the stages that read it 30.0 s");
  EXPECT_EQ(finding->frames, std::vector<std::string>{"map at Job.scala:17"});
  application().tasks.Column(TaskMetric::kShuffleWriteBytes)[application().tasks.Size() - 5] = 16 << 20;
  EXPECT_FALSE(Find("reshuffled-cache").has_value()) << "one of them writes other data";
}

TEST_F(SourceRulesTest, ManyReadsOfOneFolderThatAQueryUnitesAreOneRead) {
  PlanNode united{.name = "Union"};
  for (int i = 0; i < 20; ++i) {
    united.children.push_back(
        {.name = "Scan parquet ",
         .text = "FileScan parquet [id#" + std::to_string(i) +
                 "] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/extracts/day_" +
                 std::to_string(i) + ".parquet], PartitionFilters: []"});
  }
  SqlExecution& sql = AddQuery(20, united);
  const auto finding = Find("united-files");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A query unites 20 reads of files in one folder");
  EXPECT_NE(finding->what.find("/data/extracts is read"), std::string::npos) << finding->what;
  sql.plan.children.pop_back();
  EXPECT_FALSE(Find("united-files").has_value());
}

TEST_F(SourceRulesTest, ACacheOfManyColumnsForAFewIsWide) {
  const auto add = [&](const std::string& read) {
    PlanNode cache{.name = "InMemoryTableScan", .text = "InMemoryTableScan" + read};
    cache.children = {{.name = "Scan parquet ",
                       .text = "FileScan parquet [id#1,day#2,... 22 more fields] Batched: true, Location: "
                               "InMemoryFileIndex(1 paths)[file:/data/orders], PartitionFilters: []"}};
    AddQuery(20, cache);
  };
  add("");
  add(" [id#1, day#2]");
  const auto finding = Find("wide-cache");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A cache keeps 24 columns, of which queries read 2: parquet file:/data/orders");
  EXPECT_EQ(finding->stages.size(), 1u);
  add(" [id#1, day#2, a#3, b#4, c#5, d#6, e#7, f#8, g#9]");
  EXPECT_FALSE(Find("wide-cache").has_value()) << "a third of them";
}

TEST_F(SourceRulesTest, FitsThatTransformCachedRowsAgainNeedTheirFeaturesCached) {
  for (int i = 0; i < 6; ++i) {
    PlanNode project{.name = "Project", .text = "Project [UDF(UDF(body#" + std::to_string(i) + ")) AS features#7]"};
    project.children = {{.name = "InMemoryTableScan", .text = "InMemoryTableScan [body#1]"}};
    AddQuery(10, project).plan.stages.clear();
    Stage& stage = application().stages.back();
    stage.details = "org.apache.spark.ml.stat.Summarizer$.getRegressionSummarizers";
    // Spark ML runs its jobs outside of the queries.
    SqlExecution& read = AddQuery(1, project.children[0]);
    read.plan.stages = {stage.id};
  }
  const auto finding = Find("repeated-features");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "6 stages of Spark ML compute the same features of cached rows again");
  application().sql_executions[0].plan.text = application().sql_executions[2].plan.text = "Project [features#7]";
  EXPECT_FALSE(Find("repeated-features").has_value()) << "four queries";
  for (SqlExecution& sql : application().sql_executions) {
    if (sql.plan.children.empty()) continue;
    sql.plan.text = "Project [UDF(features#7) AS prediction#8]";
    sql.plan.children[0].children = {{.name = "Project", .text = "Project [UDF(body#1) AS features#7]"}};
  }
  EXPECT_FALSE(Find("repeated-features").has_value()) << "the cache has the features";
}

TEST_F(SourceRulesTest, GroupsOfWhichLittleRemainsNeedACombinationBeforeTheShuffle) {
  const int64_t writer = AddStage(10), reader = AddStage(10);
  AddJobOf(reader, "runJob at SparkHadoopWriter.scala:85", 0, 20);
  Stage& stage = application().stages.back();
  stage.parents = {writer};
  stage.grouped_by = "groupByKey at /home/me/Job.scala:6";
  const size_t task = application().tasks.Size() - 1;
  application().tasks.Column(TaskMetric::kShuffleReadBytes)[task] = 64 << 20;
  application().tasks.Column(TaskMetric::kOutputBytes)[task] = 1 << 20;
  const auto finding = Find("grouped-rows");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "groupByKey() shuffles 64.0 MiB to keep 1.0 MiB");
  EXPECT_EQ(finding->stages, (std::vector<int64_t>{reader, writer}));
  EXPECT_EQ(finding->frames, std::vector<std::string>{"groupByKey at Job.scala:6"});
  application().tasks.Column(TaskMetric::kOutputBytes)[task] = 32 << 20;
  EXPECT_FALSE(Find("grouped-rows").has_value()) << "the program needs the groups";
  application().tasks.Column(TaskMetric::kOutputBytes)[task] = 0;
  application().cached_rdds = {{.id = 7, .name = "groups", .in_memory = true, .stages = {reader}}};
  EXPECT_FALSE(Find("grouped-rows").has_value()) << "it keeps them";
  application().cached_rdds.clear();
  stage.grouped_by.clear();
  EXPECT_FALSE(Find("grouped-rows").has_value());
  application().stages[0].name = "groupByKey at /home/me/job.py:6";
  EXPECT_TRUE(Find("grouped-rows").has_value()) << "a Python program";
}

TEST_F(SourceRulesTest, AWriteOfOtherDataDoesNotChangeATableOfADatabase) {
  for (int i = 0; i < 3; ++i) {
    AddQuery(10, {.name = "Scan JDBCRelation(SALES) [numPartitions=1] ",
                  .text = "Scan JDBCRelation(SALES) [numPartitions=1] [ID#2] PushedFilters: []"});
    AddQuery(1, {.name = "Execute InsertIntoHadoopFsRelationCommand",
                 .text = "Execute InsertIntoHadoopFsRelationCommand file:/out, CSV"});
  }
  ASSERT_TRUE(Find("repeated-read").has_value());
  EXPECT_EQ(Find("repeated-read")->title,
            "3 queries read the same data again, without a cache: JDBCRelation(SALES) [numPartitions=1]");
}

TEST_F(SourceRulesTest, OtherFilesAndPartitionsAreOtherData) {
  AddScanQuery(10);
  AddScanQuery(10);
  std::string other = kCsvScan;
  other.replace(other.find("sales"), 5, "costs");
  AddScanQuery(10, other);
  std::string partition = kCsvScan;
  partition.replace(partition.find("PartitionFilters: []"), 20, "PartitionFilters: [(day#3 = 1)]");
  AddScanQuery(10, partition);
  EXPECT_FALSE(Find("repeated-read").has_value());
}

TEST_F(SourceRulesTest, ACacheIsReadAndNotItsSource) {
  for (int i = 0; i < 4; ++i) {
    SqlExecution& sql = AddScanQuery(10);
    const PlanNode scan = sql.plan;
    sql.plan.name = "InMemoryTableScan";
    sql.plan.text = "InMemoryTableScan [id#1]";
    sql.plan.children = {scan};
  }
  EXPECT_FALSE(Find("repeated-read").has_value());
}

TEST_F(SourceRulesTest, WhatDoesNotFitIntoTheMemoryForStorageIsNotCached) {
  application().executors[0].max_memory_bytes = 100;
  for (int i = 0; i < 3; ++i) AddScanQuery(10).plan.metrics = {Size("size of files read", 100)};
  EXPECT_TRUE(Find("repeated-read").has_value());
  application().sql_executions[0].plan.metrics[0].value = 101;
  EXPECT_FALSE(Find("repeated-read").has_value());
}

TEST_F(SourceRulesTest, JobsThatComputeTheSameRddNeedACache) {
  SharedRdd rdd{.id = 1, .name = "PythonRDD", .stages = {}};
  for (int64_t job = 0; job < 3; ++job) rdd.stages.push_back(AddStage(10, job));
  application().shared_rdds = {rdd};
  const auto finding = Find("repeated-read");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 10.0 s (4.0 s to 18.0 s); cpu; these stages take 30.0 s in total, the longest 10.0 "
            "s");
  EXPECT_EQ(finding->title, "3 jobs compute the same RDD again, without a cache");
  application().shared_rdds[0].name = "ParallelCollectionRDD";
  EXPECT_TRUE(Find("repeated-read").has_value()) << "Python functions on it have no RDD of their own";
  application().stages[0].name = "sortBy at levels.py:24";
  EXPECT_FALSE(Find("repeated-read").has_value()) << "a sort samples it";
  application().shared_rdds[0].name = "PythonRDD";
  application().stages[0].job = 1;
  EXPECT_FALSE(Find("repeated-read").has_value()) << "two jobs";
}

TEST_F(SourceRulesTest, GeneratedRowsOfOneDataFrameAreOneSource) {
  const auto add = [&](const std::string& column) {
    PlanNode project{.name = "Project", .text = "Project [sha2(cast(" + column + " as binary), 256) AS key#2]"};
    project.children = {{.name = "Range", .text = "Range (0, 6000000, step=1, splits=8)"}};
    AddQuery(10, project);
  };
  for (const char* column : {"id#0L", "id#0L", "id#9L"}) add(column);
  EXPECT_FALSE(Find("repeated-read").has_value()) << "another DataFrame";
  add("id#0L");
  EXPECT_TRUE(Find("repeated-read").has_value());
}

TEST_F(SourceRulesTest, ScansOfUnnamedRddsAreOfOneSourceOnlyWithTheSameColumn) {
  for (const char* text : {"Scan[obj#3]", "Scan[obj#40]", "Scan[obj#46]"}) AddQuery(10, {.name = "Scan", .text = text});
  EXPECT_FALSE(Find("repeated-read").has_value());
  for (int i = 0; i < 2; ++i) AddQuery(10, {.name = "Scan", .text = "Scan[obj#3]"});
  ASSERT_TRUE(Find("repeated-read").has_value());
  EXPECT_EQ(Find("repeated-read")->title, "3 queries read the same data again, without a cache: Scan[obj#3]");
}

TEST_F(SourceRulesTest, AnExplodeThatReturnsAHundredTimesItsRowsIsNamed) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Count("number of output rows", 100'000)}};
  PlanNode generate{.name = "Generate",
                    .text = "Generate explode(days#2), [id#1L], false, [day#3]",
                    .metrics = {Count("number of output rows", 10'000'000)}};
  generate.children = {std::move(range)};
  SqlExecution& sql = AddQuery(10, std::move(generate));
  const auto finding = Find("exploding-join");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "explode() returns 100 times the rows it reads");
  sql.plan.metrics[0].value -= 1;
  EXPECT_FALSE(Find("exploding-join").has_value());
}

TEST_F(SourceRulesTest, CopiesOfRowsForEachGroupingSetAreNamed) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Count("number of output rows", 625'000)}};
  PlanNode expand{.name = "Expand",
                  .text = "Expand [[a#1, b#2, c#3, 0], [a#1, b#2, null, 1]], [a#4, b#5, c#6, spark_grouping_id#7L]",
                  .metrics = {Count("number of output rows", 5'000'000)}};
  expand.children = {std::move(range)};
  PlanNode aggregate{.name = "HashAggregate",
                     .text = "HashAggregate(keys=[a#4, b#5, c#6, spark_grouping_id#7L], functions=[partial_sum(d#8)])",
                     .metrics = {Count("number of output rows", 1'000)}};
  aggregate.children = {std::move(expand)};
  SqlExecution& sql = AddQuery(10, std::move(aggregate));
  const auto finding = Find("exploding-join");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A query with grouping sets returns 8 times the rows it reads");
  EXPECT_NE(finding->change.find("GROUPING SETS"), std::string::npos) << finding->change;

  sql.plan.text = "HashAggregate(keys=[a#4, spark_grouping_id#7L], functions=[partial_approx_percentile(d#8)])";
  EXPECT_FALSE(Find("exploding-join").has_value()) << "sketches of the finest set have no sum";
  sql.plan.text = "HashAggregate(keys=[a#4, spark_grouping_id#7L], functions=[partial_sum(d#8)])";
  sql.plan.metrics[0].value = 625'000;
  EXPECT_FALSE(Find("exploding-join").has_value()) << "the finest set has as many rows as the input";
  sql.plan.metrics[0].value = 1'000;
  sql.plan.children[0].metrics[0].value -= 1;
  EXPECT_FALSE(Find("exploding-join").has_value());
}

TEST_F(SourceRulesTest, CopiesOfRowsForEachDistinctCountAreNamed) {
  PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Count("number of output rows", 625'000)}};
  PlanNode expand{.name = "Expand",
                  .text = "Expand [[a#1, null, 0], [null, b#2, 1]], [a#4, b#5, gid#7]",
                  .metrics = {Count("number of output rows", 5'000'000)}};
  expand.children = {std::move(range)};
  AddQuery(10, std::move(expand));
  const auto finding = Find("exploding-join");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A query with several count(distinct) returns 8 times the rows it reads");
}

TEST_F(SourceRulesTest, AJoinWhoseConditionIsAPythonFunctionNamesIt) {
  const PlanNode range{.name = "Range", .text = "Range (0, 100)", .metrics = {Count("number of output rows", 10'000)}};
  PlanNode join{.name = "BroadcastNestedLoopJoin",
                .text = "BroadcastNestedLoopJoin BuildRight, Inner",
                .metrics = {Count("number of output rows", 100'000'000)}};
  join.children = {range, range};
  PlanNode python{.name = "BatchEvalPython",
                  .text = "BatchEvalPython [same_name(person#1, customer#3)#4], [pythonUDF0#9]"};
  python.children = {std::move(join)};
  PlanNode filter{
      .name = "Filter", .text = "Filter pythonUDF0#9: boolean", .metrics = {Count("number of output rows", 50)}};
  filter.children = {std::move(python)};
  SqlExecution& sql = AddQuery(10, std::move(filter));
  const auto finding = Find("exploding-join");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A join by the Python function same_name() returns 5,000 times the rows it reads");
  EXPECT_NE(finding->what.find("its condition is the Python function same_name()"), std::string::npos) << finding->what;
  EXPECT_TRUE(finding->change.starts_with("Compute what same_name() compares")) << finding->change;
  sql.plan.text = "Filter (id#1 > 4)";
  EXPECT_EQ(Find("exploding-join")->title, "A join returns 5,000 times the rows it reads")
      << "the function makes a column";
}

TEST_F(SourceRulesTest, AReadersJobThatReadsRowsInfersTheSchema) {
  const int64_t stage = AddStage(5);
  application().tasks.Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  AddJobOf(stage, "json at Job.scala:5", 0, 5);
  const auto finding = Find("schema-inference");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding), "medium, saves 5.0 s (3.5 s to 5.0 s); cpu; these jobs take 5.0 s and read 1.0 MiB");
  EXPECT_EQ(finding->title, "Finding out the schema of files takes 5.0% of the time");
  EXPECT_EQ(finding->frames, std::vector<std::string>{"json at Job.scala:5"});
  application().end_ns += 1'000'000'000;
  EXPECT_FALSE(Find("schema-inference").has_value()) << "less than a twentieth";
}

TEST_F(SourceRulesTest, JobsOfReadersAndWritersLookAlikeInTextLogs) {
  const int64_t stage = AddStage(5);
  application().tasks.Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  AddJobOf(stage, "json at Job.scala:5", 0, 5);
  EXPECT_TRUE(Find("schema-inference").has_value());
  LogTemplate committer;
  committer.text = "File Output Committer Algorithm version is <*>";
  application().logs.templates = {committer};
  EXPECT_FALSE(Find("schema-inference").has_value());
}

TEST_F(SourceRulesTest, AStatementThatDefinesATableOverFilesInfersTheirSchema) {
  const int64_t stage = AddStage(5);
  application().tasks.Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  AddJobOf(stage, "sql at NativeMethodAccessorImpl.java:0", 0, 5);
  SqlExecution sql;
  sql.id = 1;
  sql.plan.name = "Execute CreateTempViewUsing";
  application().sql_executions.push_back(sql);
  application().jobs.back().sql_execution = 1;
  EXPECT_TRUE(Find("schema-inference").has_value());
  application().sql_executions.back().plan.name = "Execute CreateDataSourceTableAsSelectCommand";
  EXPECT_FALSE(Find("schema-inference").has_value());
}

TEST_F(SourceRulesTest, AQueryThatFailsOutsideItsStagesIsAFailure) {
  SqlExecution sql;
  sql.id = 4;
  sql.description = "collect at /home/me/job.py:16";
  sql.status = RunStatus::kFailed;
  sql.failure = "Not enough memory to build and broadcast the table to all worker nodes";
  application().sql_executions.push_back(sql);
  const auto finding = Find("failed-work");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Query 4 failed: Not enough memory to build and broadcast the table to all worker nodes");
  EXPECT_EQ(finding->severity, Severity::kHigh);
  EXPECT_TRUE(finding->change.starts_with("Remove the broadcast hint")) << finding->change;
  application().sql_executions.back().failure = "Job 3 cancelled because SparkContext was shut down";
  EXPECT_FALSE(Find("failed-work").has_value());
  application().sql_executions.back().failure = "no";
  application().name = "Spark shell";
  EXPECT_FALSE(Find("failed-work").has_value()) << "a person at a prompt sees the error";
  application().environment = {
      {"System", {{"sun.java.command", "SparkSubmit --name Spark shell spark-shell -i job.scala"}}}};
  EXPECT_TRUE(Find("failed-work").has_value()) << "nobody is at the prompt of a script";
}

TEST_F(SourceRulesTest, APlanOfManyOperatorsThatTakesATenthOfTheTimeOutsideJobsIsLarge) {
  AddJobOf(AddStage(10), "collect at Job.scala:5", 10, 20);
  SqlExecution sql;
  sql.id = 1;
  sql.description = "collect at /home/me/Job.scala:5";
  sql.jobs = {0};
  sql.start_ns = ApplicationBuilder::Time(0);
  sql.end_ns = ApplicationBuilder::Time(25);
  sql.plan.name = "Union";
  for (int i = 0; i < 99; ++i) sql.plan.children.push_back({.name = "Project"});
  application().sql_executions = {sql};
  const auto finding = Find("query-planning");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Planning large queries takes 10.0% of the time: a plan has 100 operators");
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(8));
  EXPECT_EQ(finding->frames, std::vector<std::string>{"collect at Job.scala:5"});
  application().jobs.back().submit_ns -= 1'000'000;
  EXPECT_FALSE(Find("query-planning").has_value()) << "less than a tenth";
  application().jobs.back().submit_ns += 1'000'000;
  application().sql_executions[0].plan.children.pop_back();
  EXPECT_FALSE(Find("query-planning").has_value()) << "a small plan";
}

TEST_F(SourceRulesTest, AWritersJobAndTheFirstJobOfAnApplicationInferNoSchema) {
  const int64_t first = AddStage(10);
  AddJobOf(first, "parquet at Job.scala:5", 0, 10);
  EXPECT_FALSE(Find("schema-inference").has_value()) << "it waits for executors and loads classes";
  AddQuery(10, {.name = "Execute InsertIntoHadoopFsRelationCommand"}, "csv at Job.scala:9");
  AddJobOf(application().stages.back().id, "csv at Job.scala:9", 10, 20);
  application().jobs.back().sql_execution = 1;
  EXPECT_FALSE(Find("schema-inference").has_value());
}

TEST_F(SourceRulesTest, ListingFoldersExplainsTheTasksOfTheListing) {
  AddStage(1);
  AddJobOf(0, "count at Job.scala:3", 0, 1);
  const int64_t stage = AddStage(20);
  AddJobOf(stage, "load at Job.scala:5", 1, 21, "Listing leaf files and directories for 2004 paths:<br/>hdfs://a");
  for (const size_t task : {4, 5, 6, 7}) application().tasks.Column(TaskMetric::kGcTime)[task] = 10'000'000'000;
  const auto finding = Find("file-listing");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Listing files takes 20.0% of the time");
  EXPECT_EQ(finding->evidence, "these jobs take 20.0 s; symptom: GC takes 50.0% of task time");
  EXPECT_FALSE(Find("gc").has_value());
  EXPECT_FALSE(Find("schema-inference").has_value());
  for (int i = 0; i < 2; ++i) {
    AddStage(20);
    AddJobOf(application().stages.back().id, "load at Job.scala:5", now_ - 20, now_, application().jobs[1].description);
  }
  ASSERT_TRUE(Find("file-listing").has_value());
  EXPECT_EQ(Find("file-listing")->title, "The same folders are listed 3 times, which takes 60.0% of the time");
  EXPECT_NE(Find("file-listing")->change.find("Read the source once"), std::string::npos);
}

TEST_F(SourceRulesTest, FiveHundredSmallFilesWrittenAreMany) {
  SqlExecution& sql =
      AddQuery(20, {.name = "Execute InsertIntoHadoopFsRelationCommand",
                    .metrics = {Count("number of written files", 500), Size("written output", 500 * kMebibyteOfData),
                                Count("number of dynamic part", 20), Seconds("task commit time", 4),
                                Seconds("job commit time", 2)}});
  const auto finding = Find("many-output-files");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "low, saves 2.6 s (1.3 s to 3.2 s); cpu; its stages take 20.0 s, task commits 4.0 s of task "
            "time, the job's commit 2.0 s");
  EXPECT_EQ(finding->title, "A query writes 500 small files of 1.0 MiB on average");
  EXPECT_NE(finding->change.find("Write about 20 files: repartition() by the columns of partitionBy()"),
            std::string::npos)
      << finding->change;
  sql.plan.metrics[2].value = 200;
  EXPECT_NE(Find("many-output-files")->change.find("Partitioning by fewer values would make them fewer still"),
            std::string::npos)
      << Find("many-output-files")->change;
  sql.plan.metrics[2].value = 400;
  EXPECT_NE(Find("many-output-files")->change.find("Write about 4 files: partition by fewer values"), std::string::npos)
      << Find("many-output-files")->change;
  sql.plan.metrics[0].value = 499;
  EXPECT_FALSE(Find("many-output-files").has_value());
  sql.plan.metrics[4].value = 4e9;
  ASSERT_TRUE(Find("many-output-files").has_value()) << "the commit takes a fifth of the query";
  EXPECT_EQ(Find("many-output-files")->title, "Committing the output of a query takes 4.0 s");
}

class JoinSourceTest : public SourceRulesTest {
 protected:
  static PlanNode Side(double bytes) {
    PlanNode exchange{.name = "Exchange", .metrics = {Size("data size", bytes), Seconds("shuffle write time", 4)}};
    PlanNode sort{.name = "Sort"};
    sort.children = {exchange};
    return sort;
  }

  SqlExecution& AddJoin(double left, double right, const std::string& type = "Inner") {
    PlanNode join{.name = "SortMergeJoin", .text = "SortMergeJoin [id#0L], [id#2L], " + type};
    join.children = {Side(left), Side(right)};
    return AddQuery(20, join);
  }
};

TEST_F(JoinSourceTest, AJoinWithASideOfATenthCanBeBroadcast) {
  SqlExecution& sql = AddJoin(640 * kMebibyteOfData, 64 * kMebibyteOfData);
  const auto finding = Find("broadcastable-join");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 10.0 s (4.0 s to 18.0 s); cpu; SortMergeJoin [id#0L], [id#2L], Inner; its stages "
            "take 20.0 s");
  EXPECT_EQ(finding->title, "A join shuffles 640 MiB to join 64.0 MiB");
  EXPECT_NE(finding->change.find("spark.sql.autoBroadcastJoinThreshold=128m"), std::string::npos);
  sql.settings = {{"spark.sql.autoBroadcastJoinThreshold", "-1"}};
  EXPECT_NE(Find("broadcastable-join")->change.find("the job turns it off"), std::string::npos);
  sql.plan.children[0].children[0].metrics[0].value -= 1;
  EXPECT_FALSE(Find("broadcastable-join").has_value()) << "less than ten times as much";
}

TEST_F(JoinSourceTest, TheOuterSideOfAJoinIsNotBroadcast) {
  AddJoin(1, 640 * kMebibyteOfData, "LeftOuter");
  EXPECT_FALSE(Find("broadcastable-join").has_value());
  AddJoin(640 * kMebibyteOfData, 1, "FullOuter");
  EXPECT_FALSE(Find("broadcastable-join").has_value());
  AddJoin(640 * kMebibyteOfData, 1, "LeftOuter");
  EXPECT_TRUE(Find("broadcastable-join").has_value());
}

TEST_F(SourceRulesTest, AFilterThatReadsAllOfTenPartitionsHasNoConditionOnThem) {
  PlanNode scan{.name = "Scan parquet ",
                .text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [IsNotNull(id)]",
                .metrics = {Count("number of partitions read", 10), Count("number of output rows", 1'000'000)}};
  PlanNode filter{.name = "Filter", .text = "Filter (id#0L > 5)", .metrics = {Count("number of output rows", 100'000)}};
  filter.children = {scan};
  SqlExecution& sql = AddQuery(20, filter);
  const auto finding = Find("unpruned-partitions");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A filter reads all 10 partitions of a table");
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(9));
  sql.plan.children[0].metrics[0].value = 9;
  EXPECT_FALSE(Find("unpruned-partitions").has_value());
  sql.plan.children[0].metrics[0].value = 10;
  sql.plan.children[0].text = "FileScan parquet [id] PartitionFilters: [(day#3 = 1)], PushedFilters: []";
  EXPECT_FALSE(Find("unpruned-partitions").has_value());
}

TEST_F(SourceRulesTest, FiftyDeleteFilesOfAnIcebergTableAreMany) {
  SqlExecution& sql =
      AddQuery(20, {.name = "BatchScan",
                    .text = "BatchScan local.db.sales[id#0L]",
                    .metrics = {Count("number of result delete files", 50), Count("number of result data files", 20),
                                Count("total planning duration (ms)", 800)}});
  const auto finding = Find("delete-files");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A scan of an Iceberg table applies 50 delete files");
  EXPECT_EQ(finding->evidence, "planning the scan takes 800 ms, its stages 20.0 s");
  sql.plan.metrics[0].value = 49;
  EXPECT_FALSE(Find("delete-files").has_value());
  sql.plan.metrics[2].value = 6'000;
  ASSERT_TRUE(Find("delete-files").has_value());
  EXPECT_EQ(Find("delete-files")->title, "Planning a scan of an Iceberg table takes 6.0 s");
}

TEST_F(SourceRulesTest, ThirtyShortJobsOfALineAreALoop) {
  for (int i = 0; i < 30; ++i) {
    const int64_t stage = AddStage(0.5);
    AddJobOf(stage, "collect at /home/me/job.py:9", now_ - 0.5, now_);
    now_ += 0.5;
  }
  application().end_ns = ApplicationBuilder::Time(75);
  const auto finding = Find("job-loop");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "high, saves 23.2 s (11.6 s to 29.0 s); cpu; the fastest job takes 500 ms; between two of them 500 ms");
  EXPECT_EQ(finding->title, "A loop runs 30 jobs of one line");
  EXPECT_EQ(finding->frames, std::vector<std::string>{"collect at job.py:9"});
  application().jobs.back().name = "count at /home/me/job.py:12";
  EXPECT_FALSE(Find("job-loop").has_value()) << "29 jobs";
  for (size_t i = 0; i < 30; ++i)
    application().jobs[i].name = i < 15 ? "count at NativeMethodAccessorImpl.java:0" : "count at <unknown>:0";
  ASSERT_TRUE(Find("job-loop").has_value()) << "Python's calls come from one line of Java";
  EXPECT_EQ(Find("job-loop")->title, "A loop runs 30 jobs of count()");
}

TEST_F(SourceRulesTest, IterationsOfAlgorithmsAndStreamsAreNoLoop) {
  for (int i = 0; i < 80; ++i) {
    const int64_t stage = AddStage(0.5);
    application().stages.back().details = "org.apache.spark.ml.optim.loss.RDDLossFunction.calculate";
    AddJobOf(stage, "treeAggregate at RDDLossFunction.scala:61", now_ - 0.5, now_);
  }
  // A job also has the stage that computes what the program prepared.
  for (size_t row = 0; row < application().stages.size(); row += 2) {
    application().stages[row].details.clear();
    application().stages[row].job = application().stages[row + 1].job;
  }
  std::erase_if(application().jobs, [](const Job& job) { return job.id % 2 == 0; });
  EXPECT_FALSE(Find("job-loop").has_value());
  for (Stage& stage : application().stages) stage.details.clear();
  EXPECT_TRUE(Find("job-loop").has_value());
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  EXPECT_FALSE(Find("job-loop").has_value());
  application().streaming_queries.clear();  // as in a text log
  for (Job& job : application().jobs) job.name = "start at NativeMethodAccessorImpl.java:0";
  EXPECT_FALSE(Find("job-loop").has_value());
}

TEST_F(SourceRulesTest, APlanThatGrowsInALoopIsNamed) {
  for (int i = 0; i < 30; ++i) {
    PlanNode plan{.name = "Project"};
    for (int depth = 0; depth < i; ++depth) {
      PlanNode above{.name = "Project"};
      above.children = {plan};
      plan = above;
    }
    AddQuery(1, plan);
    AddJobOf(application().stages.back().id, "collect at job.py:9", now_ - 1, now_);
    application().jobs.back().sql_execution = application().sql_executions.back().id;
  }
  const auto finding = Find("job-loop");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "A loop runs 30 queries, and its plan grows from 1 to 30 operators");
  EXPECT_NE(finding->change.find("checkpoint()"), std::string::npos);
}

TEST_F(SourceRulesTest, QueriesOfOneTaskThatFollowEachOtherCouldRunAtOnce) {
  for (int i = 0; i < 4; ++i) {
    const int64_t stage = next_stage_++;
    const int32_t row = builder_.AddStage(stage, 0, 0);
    application().stages.back().task_count = 1;
    builder_.AddTask(next_task_++, row, executor_, now_, now_ + 10, 10);
    now_ += 10;
    AddJobOf(stage, i % 2 == 0 ? "count at /home/me/job.py:9" : "save at /home/me/job.py:12", now_ - 10, now_);
  }
  const auto finding = Find("serial-queries");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "4 queries run one after another, each on at most half of the cores");
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 15.0 s (0 ns to 30.0 s); cpu; their tasks took 40.0 s on 4 cores; the longest query took "
            "10.0 s");
  EXPECT_EQ(finding->frames, (std::vector<std::string>{"count at job.py:9", "save at job.py:12"}));
  // Two of them at the same time: a program that starts them from threads.
  application().jobs[1].submit_ns = application().jobs[0].submit_ns;
  EXPECT_FALSE(Find("serial-queries").has_value());
}

TEST_F(SourceRulesTest, AFunctionThatTakesAFifthOfTheTasksToDeserializeIsLarge) {
  for (int i = 0; i < 4; ++i) {
    builder_.AddStage(7, 0, 0);
    for (int task = 0; task < 4; ++task) builder_.AddTask(next_task_++, 0, executor_, i * 10, i * 10 + 10, 8);
  }
  for (size_t task = 0; task < 16; ++task)
    application().tasks.Column(TaskMetric::kDeserializeTime)[task] = 2'000'000'000;
  const auto finding = Find("large-closure");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(Weighed(*finding),
            "medium, saves 6.4 s (3.2 s to 8.0 s); cpu of stage 7; 2.0 s for the median task, 32.0 s in total "
            "of 2.7 min task time");
  EXPECT_EQ(finding->title, "Stage 7: deserializing the function in each task takes 20.0% of task time");
  for (size_t task = 0; task < 16; ++task)
    application().tasks.Column(TaskMetric::kDeserializeTime)[task] = 1'999'999'999;
  EXPECT_FALSE(Find("large-closure").has_value());
}

TEST_F(SourceRulesTest, OperatorsOfAQueryCarryNoData) {
  AddStage(10);
  for (int64_t task = 0; task < 16; ++task) {
    const size_t row = builder_.AddTask(next_task_++, 0, executor_, 10, 20, 8);
    application().tasks.Column(TaskMetric::kDeserializeTime)[row] = 2'000'000'000;
  }
  EXPECT_TRUE(Find("large-closure").has_value());
  application().stages[0].sql_execution = 5;
  SqlExecution sql;
  sql.id = 5;
  sql.plan.name = "HashAggregate";
  application().sql_executions = {sql};
  EXPECT_FALSE(Find("large-closure").has_value());
  application().sql_executions[0].plan.text = "HashAggregate(keys=[UDF(id#1)])";
  EXPECT_TRUE(Find("large-closure").has_value());
}

TEST_F(SourceRulesTest, FirstTasksOfExecutorsThatLoadClassesHaveNoLargeClosure) {
  AddStage(10);
  for (size_t task = 0; task < 4; ++task)
    application().tasks.Column(TaskMetric::kDeserializeTime)[task] = 5'000'000'000;
  EXPECT_FALSE(Find("large-closure").has_value());
}

TEST_F(SourceRulesTest, UnpicklingAFunctionInEachTaskIsPythonsPart) {
  builder_.AddStage(7, 0, 0);
  const uint32_t worker = builder_.AddThread(300, "Python worker", executor_);
  const std::string package = "/venv/lib/python3.12/site-packages/pyspark/";
  const FrameId main = builder_.AddFrame("main", FrameKind::kPython, package + "worker.py", 900);
  const FrameId read = builder_.AddFrame("read_command", FrameKind::kPython, package + "worker_util.py", 66);
  const FrameId loads =
      builder_.AddFrame("CPickleSerializer.loads", FrameKind::kPython, package + "serializers.py", 400);
  const FrameId score = builder_.AddFrame("score", FrameKind::kPython, "/home/me/job.py", 12);
  for (int task = 0; task < 16; ++task) {
    builder_.AddTask(next_task_, 0, executor_, task / 4 * 10, task / 4 * 10 + 10, 1);
    builder_.AddSample(Event::kCpu, 3, worker, next_task_, builder_.AddStack({main, read, loads}), 2'000'000'000);
    builder_.AddSample(Event::kCpu, 3, worker, next_task_++, builder_.AddStack({main, score}), 8'000'000'000);
  }
  application().python_samples = std::exchange(application().profile.samples, {});
  const auto finding = Find("large-closure");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "Stage 7: unpickling the function in each task takes 20.0% of Python's CPU time");
  application().python_samples[0].weight -= 1;
  EXPECT_FALSE(Find("large-closure").has_value());
}

TEST_F(SourceRulesTest, TasksWithoutAnEndAreDroppedEvents) {
  AddStage(10);
  AddJobOf(0, "count at Job.scala:3", 0, 10);
  EXPECT_FALSE(Find("dropped-events").has_value());
  application().stages[0].task_count = 8;
  const auto finding = Find("dropped-events");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "The input has no events of 50.0% of the tasks");
  EXPECT_EQ(finding->evidence, "4 of 8 tasks in stages that ended well have no end event");
  EXPECT_NE(finding->what.find("or a part of the log is missing"), std::string::npos) << finding->what;
  application().stages[0].status = RunStatus::kRunning;
  EXPECT_FALSE(Find("dropped-events").has_value());
  LogTemplate message;
  message.text = "Dropped <*> events from eventLog since the application started.";
  message.count = 2;
  application().logs.templates = {{}, message};
  ASSERT_TRUE(Find("dropped-events").has_value());
  EXPECT_TRUE(Find("dropped-events")->what.starts_with("The driver's queue of events was full"));
  EXPECT_EQ(Find("dropped-events")->title, "Spark dropped events of the application");
}

TEST_F(SourceRulesTest, ASortOfAllRowsForTheFirstOnesIsNotNeeded) {
  const std::string line = "sortBy at job.py:23";
  const auto add = [&](double seconds, const std::string& stage_name, int64_t job, int64_t tasks) {
    const int64_t id = AddStage(seconds, job);
    application().stages.back().name = stage_name;
    application().stages.back().task_count = tasks;
    return id;
  };
  AddJobOf(add(10, line, 0, 4), line, 0, 10);
  AddJobOf(add(10, line, 1, 4), line, 10, 20);
  const int64_t sort = add(20, line, 2, 4);
  const int64_t take = add(1, "runJob at PythonRDD.scala:181", 2, 1);
  builder_.AddJob(2, {sort, take});
  application().jobs.back().name = "runJob at PythonRDD.scala:181";
  const auto finding = Find("full-sort");
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "All rows of an RDD are sorted to read the first of them");
  EXPECT_EQ(finding->frames, std::vector<std::string>{line});
  EXPECT_EQ(finding->saving.likely_ns, ApplicationBuilder::Nanos(0));
  application().stages.back().task_count = 4;
  EXPECT_FALSE(Find("full-sort").has_value()) << "all sorted rows are read";
}

}  // namespace
}  // namespace sparkprof
