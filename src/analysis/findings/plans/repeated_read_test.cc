// SPDX-License-Identifier: Apache-2.0
// Data that a program reads or computes too often: repeated-read, united-files, reshuffled-cache, wide-cache,
// repeated-features, repeated-changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/testing/queries_test.h"

namespace sparkprof {
namespace {

constexpr char kCsvScan[] =
    "FileScan csv [id#1,name#2] Batched: false, DataFilters: [], Format: CSV, Location: InMemoryFileIndex(1 "
    "paths)[file:/data/sales.csv], PartitionFilters: [], PushedFilters: [], ReadSchema: struct<id:int,name:string>";

class RepeatedReadTest : public QueriesTest {
 protected:
  SqlExecution& AddScanQuery(double seconds, std::string text = kCsvScan) {
    return AddQuery(seconds,
                    {.name = "Scan csv ", .text = std::move(text), .metrics = {Count("number of files read", 1)}});
  }
};

TEST_F(RepeatedReadTest, ThreeQueriesThatScanTheSameFileNeedACache) {
  AddScanQuery(10);
  std::string renumbered = kCsvScan;
  renumbered.replace(renumbered.find("id#1"), 4, "id#7");
  AddScanQuery(8, renumbered);
  EXPECT_FALSE(Finds("repeated-read")) << "two queries";
  AddScanQuery(2);
  const Finding finding = Found("repeated-read");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 4.0 s (1.6 s to 10.0 s); cpu; the stages that scan it take 20.0 s in total, the longest "
            "query 10.0 s");
  EXPECT_EQ(finding.title, "3 queries read the same data again, without a cache: csv file:/data/sales.csv");
  for (SqlExecution& sql : application().sql_executions) sql.plan.name = "CometNativeScan csv ";
  EXPECT_EQ(Found("repeated-read").title, finding.title) << "of an engine below Spark";
  EXPECT_EQ(finding.frames, std::vector<std::string>{"collect at job.py:9"});
}

TEST_F(RepeatedReadTest, ALoopOfQueriesOfOneSourceSaysThatEachReadsIt) {
  for (int query = 0; query < 30; ++query) {
    const int64_t id = AddScanQuery(0.5).id;
    AddJobOf(next_stage_ - 1, "collect at job.py:9", now_ - 0.5, now_);
    application().jobs.back().sql_execution = id;
  }
  application().end_ns = ApplicationBuilder::Time(now_);
  const Finding finding = Found("job-loop");
  EXPECT_EQ(finding.title, "A loop runs 30 queries of one line, and each reads the same data again");
  EXPECT_NE(finding.change.find("one agg()"), std::string::npos) << finding.change;
  std::vector<SqlExecution> reads = application().sql_executions;
  for (SqlExecution& sql : application().sql_executions) {
    PlanNode write{
        .name = "Execute InsertIntoHadoopFsRelationCommand", .text = "Execute InsertInto", .children = {sql.plan}};
    sql.plan = std::move(write);
  }
  EXPECT_TRUE(Found("job-loop").change.starts_with("Read the data once and write all of it in one query"));
  application().sql_executions = std::move(reads);
  std::string& scan = application().sql_executions.back().plan.text;
  scan.replace(scan.find("sales"), 5, "shops");
  EXPECT_EQ(Found("job-loop").title, "A loop runs 30 queries of one line");
}

TEST_F(RepeatedReadTest, AReaderOfAnRddOfTextsGetsThemThroughPythonForItsSchemaAndForEachQuery) {
  const int64_t schema = AddStage(5);
  AddJobOf(schema, "json at NativeMethodAccessorImpl.java:0", 0, 5);
  tasks().Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  for (int query = 0; query < 3; ++query) AddQuery(10, {.name = "Scan ExistingRDD", .text = "Scan ExistingRDD[id#0]"});
  EXPECT_TRUE(Found("repeated-read").change.starts_with("Keep what the queries have in common"));
  application().stages.back().name = "collect at job.py:9";
  const Finding finding = Found("repeated-read");
  EXPECT_TRUE(finding.change.starts_with("Parse the texts in place: from_json()")) << finding.change;
  EXPECT_NE(std::find(finding.stages.begin(), finding.stages.end(), schema), finding.stages.end());
}

TEST_F(RepeatedReadTest, QueriesOfColumnarFilesNeedACacheOnlyForRowsThatAllOfThemDerive) {
  const auto add = [&](int id, const std::string& group) {
    const std::string number = std::to_string(id);
    PlanNode sums{.name = "HashAggregate",
                  .text = "HashAggregate(keys=[" + group + "], functions=[partial_sum(price" + number + ")])"};
    if (!group.empty()) sums.text.insert(sums.text.find(']'), "#" + number);
    sums.children = {{.name = "Scan parquet ",
                      .text = "FileScan parquet [" + group + "#" + number +
                              ",price#7] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 "
                              "paths)[file:/data/orders], PartitionFilters: [], PushedFilters: []"}};
    AddQuery(10, sums);
  };
  for (const char* group : {"day", "shop", "customer", "state", "", "", ""}) add(1, group);
  EXPECT_FALSE(Finds("repeated-read")) << "a cache is not read faster than the files";
  add(2, "day");
  EXPECT_FALSE(Finds("repeated-read")) << "two queries sum the same";
  add(3, "day");
  const Finding finding = Found("repeated-read");
  EXPECT_EQ(finding.title, "3 queries read the same data again, without a cache: parquet file:/data/orders");
  EXPECT_EQ(finding.stages.size(), 3u);
}

TEST_F(RepeatedReadTest, ARandomSplitOfColumnarFilesIsSortedAgainByEachQuery) {
  const auto add = [&](const std::string& fraction) {
    PlanNode sample{.name = "Sample", .text = "Sample " + fraction + ", false, 7"};
    sample.children = {{.name = "Sort", .text = "Sort [x#1 ASC NULLS FIRST], false, 0"}};
    sample.children[0].children = {
        {.name = "Scan parquet ",
         .text = "FileScan parquet [x#1] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 "
                 "paths)[file:/data/train], PartitionFilters: [], PushedFilters: []"}};
    SqlExecution& sql = AddQuery(10, sample);
    sql.plan.children[0].children[0].stages = sql.plan.stages;
  };
  for (const char* fraction : {"0.0, 0.8", "0.0, 0.8", "0.8, 1.0"}) add(fraction);
  EXPECT_FALSE(Finds("repeated-read")) << "two queries of one part";
  add("0.0, 0.8");
  EXPECT_EQ(Found("repeated-read").stages.size(), 3u);
}

TEST_F(RepeatedReadTest, PartsOfAQueryThatCallTheSameFunctionForTheSameRowsNeedACache) {
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
  const Finding finding = Found("repeated-read");
  EXPECT_EQ(finding.title,
            "3 parts of a query call RLIKE() for the same rows again, without a cache: csv file:/data/sales.csv");
  EXPECT_NE(finding.change.find("WITH clause"), std::string::npos);
  sql.plan.children[0].text = "Filter NOT RLIKE(lower(name#2), curl)";
  EXPECT_FALSE(Finds("repeated-read")) << "the parts of the query call different functions";
}

TEST_F(RepeatedReadTest, ACachedRddThatEachRoundShufflesLostItsPartitioner) {
  CachedRdd rdd{.id = 7, .name = "neighbours", .in_memory = true, .stages = {AddStage(10)}};
  for (int round = 0; round < 3; ++round) {
    const int64_t stage = AddStage(10);
    application().stages.back().name = "map at /home/me/Job.scala:17";
    tasks().Column(TaskMetric::kShuffleWriteBytes)[tasks().Size() - 1] = 32 << 20;
    rdd.stages.push_back(stage);
    AddStage(10);
    application().stages.back().parents = {stage};
  }
  application().cached_rdds = {rdd};
  const Finding finding = Found("reshuffled-cache");
  EXPECT_EQ(finding.title, "A cached RDD is shuffled again in each of 3 stages");
  EXPECT_EQ(finding.evidence, "writing it takes 30.0 s, the stages that read it 30.0 s");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"map at Job.scala:17"});
  tasks().Column(TaskMetric::kShuffleWriteBytes)[tasks().Size() - 5] = 16 << 20;
  EXPECT_FALSE(Finds("reshuffled-cache")) << "one of them writes other data";
}

TEST_F(RepeatedReadTest, TenCommandsThatChangeOneTableAreOne) {
  PlanNode merge{.name = "WriteDelta", .text = "WriteDelta"};
  const auto add = [&](double files) {
    merge.children = {{.name = "BatchScan ice.db.accounts",
                       .text = "BatchScan ice.db.accounts[id#1L] IcebergScan(table=ice.db.accounts)",
                       .metrics = {Count("number of result data files", files)}}};
    AddQuery(4, merge, "sql at NativeMethodAccessorImpl.java:0");
  };
  for (int day = 0; day < 9; ++day) add(8 + day);
  EXPECT_FALSE(Finds("repeated-changes"));
  add(88);
  const Finding finding = Found("repeated-changes");
  EXPECT_EQ(finding.title,
            "10 commands change the same table one after the other, for 40.0% of the time: ice.db.accounts");
  EXPECT_EQ(finding.evidence, "they take 40.0 s in total, the longest 4.0 s; the first reads 8 files, the last 88");
  EXPECT_EQ(finding.stages.size(), 10u);
  // Delta Lake runs each command as queries of its own.
  for (SqlExecution& sql : application().sql_executions) {
    sql.plan = {.name = "Execute MergeIntoCommand", .text = "Execute MergeIntoCommand"};
    sql.plan_text =
        "(2) MergeIntoCommand\nArguments: SubqueryAlias s, Delta[version=0, file:/lake/customers], (id = id)";
  }
  EXPECT_EQ(Found("repeated-changes").title,
            "10 MERGE commands change the same table one after the other, for 40.0% of the time: file:/lake/customers");
}

TEST_F(RepeatedReadTest, AnOperationOfALibraryThatTakesATenthOfTheTimeHasItsAdvice) {
  const auto add = [&](double seconds) {
    AddStage(seconds);
    application().stages.back().details =
        "com.amazon.deequ.profiles.ColumnProfiler$.profile(ColumnProfiler.scala:137)\n"
        "com.amazon.deequ.profiles.ColumnProfilerRunBuilder.run(ColumnProfilerRunBuilder.scala:190)";
  };
  add(9.9);
  EXPECT_FALSE(Finds("library-work"));
  add(0.1);
  const Finding finding = Found("library-work");
  EXPECT_EQ(finding.title, "Deequ: profiling columns takes 10.0% of the time");
  EXPECT_TRUE(finding.change.starts_with("Profile only the columns")) << finding.change;
}

TEST_F(RepeatedReadTest, ManyReadsOfOneFolderThatAQueryUnitesAreOneRead) {
  PlanNode united{.name = "Union"};
  for (int i = 0; i < 20; ++i) {
    united.children.push_back(
        {.name = "Scan parquet ",
         .text = "FileScan parquet [id#" + std::to_string(i) +
                 "] Batched: true, Format: Parquet, Location: InMemoryFileIndex(1 paths)[file:/data/extracts/day_" +
                 std::to_string(i) + ".parquet], PartitionFilters: []"});
  }
  SqlExecution& sql = AddQuery(20, united);
  const Finding finding = Found("united-files");
  EXPECT_EQ(finding.title, "A query unites 20 reads of files in one folder");
  EXPECT_NE(finding.what.find("/data/extracts is read"), std::string::npos) << finding.what;
  sql.plan.children.pop_back();
  EXPECT_FALSE(Finds("united-files"));
}

TEST_F(RepeatedReadTest, ACacheOfManyColumnsForAFewIsWide) {
  const auto add = [&](const std::string& read) {
    PlanNode cache{.name = "InMemoryTableScan", .text = "InMemoryTableScan" + read};
    cache.children = {{.name = "Scan parquet ",
                       .text = "FileScan parquet [id#1,day#2,... 22 more fields] Batched: true, Location: "
                               "InMemoryFileIndex(1 paths)[file:/data/orders], PartitionFilters: []"}};
    AddQuery(20, cache);
  };
  add("");
  add(" [id#1, day#2]");
  const Finding finding = Found("wide-cache");
  EXPECT_EQ(finding.title, "A cache keeps 24 columns, of which queries read 2: parquet file:/data/orders");
  EXPECT_EQ(finding.stages.size(), 1u);
  add(" [id#1, day#2, a#3, b#4, c#5, d#6, e#7, f#8, g#9]");
  EXPECT_FALSE(Finds("wide-cache")) << "a third of them";
}

TEST_F(RepeatedReadTest, FitsThatTransformCachedRowsAgainNeedTheirFeaturesCached) {
  for (int i = 0; i < 6; ++i) {
    PlanNode project{.name = "Project", .text = "Project [UDF(UDF(body#" + std::to_string(i) + ")) AS features#7]"};
    project.children = {{.name = "InMemoryTableScan", .text = "InMemoryTableScan [body#1]"}};
    AddQuery(10, project).plan.stages.clear();
    Stage& stage = application().stages.back();
    stage.details = "org.apache.spark.ml.stat.Summarizer$.getRegressionSummarizers";
    // Spark ML runs its jobs outside of queries.
    SqlExecution& read = AddQuery(1, project.children[0]);
    read.plan.stages = {stage.id};
  }
  const Finding finding = Found("repeated-features");
  EXPECT_EQ(finding.title, "6 stages of Spark ML compute the same features of cached rows again");
  application().sql_executions[0].plan.text = application().sql_executions[2].plan.text = "Project [features#7]";
  EXPECT_FALSE(Finds("repeated-features")) << "four queries";
  for (SqlExecution& sql : application().sql_executions) {
    if (sql.plan.children.empty()) continue;
    sql.plan.text = "Project [UDF(features#7) AS prediction#8]";
    sql.plan.children[0].children = {{.name = "Project", .text = "Project [UDF(body#1) AS features#7]"}};
  }
  EXPECT_FALSE(Finds("repeated-features")) << "the cache has the features";
}

TEST_F(RepeatedReadTest, AWriteOfOtherDataDoesNotChangeATableOfADatabase) {
  for (int i = 0; i < 3; ++i) {
    AddQuery(10, {.name = "Scan JDBCRelation(SALES) [numPartitions=1] ",
                  .text = "Scan JDBCRelation(SALES) [numPartitions=1] [ID#2] PushedFilters: []"});
    AddQuery(1, {.name = "Execute InsertIntoHadoopFsRelationCommand",
                 .text = "Execute InsertIntoHadoopFsRelationCommand file:/out, CSV"});
  }
  EXPECT_EQ(Found("repeated-read").title,
            "3 queries read the same data again, without a cache: JDBCRelation(SALES) [numPartitions=1]");
}

TEST_F(RepeatedReadTest, OtherFilesAndPartitionsAreOtherData) {
  AddScanQuery(10);
  AddScanQuery(10);
  std::string other = kCsvScan;
  other.replace(other.find("sales"), 5, "costs");
  AddScanQuery(10, other);
  std::string partition = kCsvScan;
  partition.replace(partition.find("PartitionFilters: []"), 20, "PartitionFilters: [(day#3 = 1)]");
  AddScanQuery(10, partition);
  EXPECT_FALSE(Finds("repeated-read"));
}

TEST_F(RepeatedReadTest, ACacheIsReadAndNotItsSource) {
  for (int i = 0; i < 4; ++i) {
    SqlExecution& sql = AddScanQuery(10);
    const PlanNode scan = sql.plan;
    sql.plan.name = "InMemoryTableScan";
    sql.plan.text = "InMemoryTableScan [id#1]";
    sql.plan.children = {scan};
  }
  EXPECT_FALSE(Finds("repeated-read"));
}

TEST_F(RepeatedReadTest, WhatDoesNotFitIntoTheMemoryForStorageIsNotCached) {
  application().executors[0].max_memory_bytes = 100;
  for (int i = 0; i < 3; ++i) AddScanQuery(10).plan.metrics = {Size("size of files read", 100)};
  EXPECT_TRUE(Finds("repeated-read"));
  application().sql_executions[0].plan.metrics[0].value = 101;
  EXPECT_FALSE(Finds("repeated-read"));
}

TEST_F(RepeatedReadTest, JobsThatComputeTheSameRddNeedACache) {
  SharedRdd rdd{.id = 1, .name = "PythonRDD", .stages = {}};
  for (int64_t job = 0; job < 3; ++job) rdd.stages.push_back(AddStage(10, job));
  application().shared_rdds = {rdd};
  const Finding finding = Found("repeated-read");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 10.0 s (4.0 s to 25.0 s); cpu; these stages take 30.0 s in total, the longest 10.0 s");
  EXPECT_EQ(finding.title, "3 jobs compute the same RDD again, without a cache");
  application().shared_rdds[0].name = "ParallelCollectionRDD";
  EXPECT_TRUE(Finds("repeated-read")) << "Python functions on it have no RDD of their own";
  application().stages[0].name = "sortBy at levels.py:24";
  EXPECT_FALSE(Finds("repeated-read")) << "a sort samples it";
  application().shared_rdds[0].name = "PythonRDD";
  application().stages[0].job = 1;
  EXPECT_FALSE(Finds("repeated-read")) << "two jobs";
}

TEST_F(RepeatedReadTest, GeneratedRowsOfOneDataFrameAreOneSource) {
  const auto add = [&](const std::string& column) {
    PlanNode project{.name = "Project", .text = "Project [sha2(cast(" + column + " as binary), 256) AS key#2]"};
    project.children = {{.name = "Range", .text = "Range (0, 6000000, step=1, splits=8)"}};
    AddQuery(10, project);
  };
  for (const char* column : {"id#0L", "id#0L", "id#9L"}) add(column);
  EXPECT_FALSE(Finds("repeated-read")) << "another DataFrame";
  add("id#0L");
  EXPECT_TRUE(Finds("repeated-read"));
}

TEST_F(RepeatedReadTest, ScansOfUnnamedRddsAreOfOneSourceOnlyWithTheSameColumn) {
  for (const char* text : {"Scan[obj#3]", "Scan[obj#40]", "Scan[obj#46]"}) AddQuery(10, {.name = "Scan", .text = text});
  EXPECT_FALSE(Finds("repeated-read"));
  for (int i = 0; i < 2; ++i) AddQuery(10, {.name = "Scan", .text = "Scan[obj#3]"});
  EXPECT_EQ(Found("repeated-read").title, "3 queries read the same data again, without a cache: Scan[obj#3]");
}

}  // namespace
}  // namespace sparkprof
