// SPDX-License-Identifier: Apache-2.0
// Files of tables: schema-inference, file-listing, many-output-files, unpruned-partitions, delete-files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/testing/queries_test.h"

namespace sparkprof {
namespace {

constexpr double kMebibyte = 1 << 20;

using FileRulesTest = QueriesTest;

TEST_F(FileRulesTest, AReadersJobThatReadsRowsInfersTheSchema) {
  const int64_t stage = AddStage(5);
  tasks().Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  AddJobOf(stage, "json at Job.scala:5", 0, 5);
  const Finding finding = Found("schema-inference");
  EXPECT_EQ(Weighed(finding), "medium, saves 5.0 s (3.5 s to 6.2 s); cpu; these jobs take 5.0 s and read 1.0 MiB");
  EXPECT_EQ(finding.title, "Finding out the schema of files takes 5.0% of the time");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"json at Job.scala:5"});
  application().end_ns += 1'000'000'000;
  EXPECT_FALSE(Finds("schema-inference")) << "less than a twentieth";
}

TEST_F(FileRulesTest, AStatementOnFilesInfersTheirSchemaBeforeItsQuery) {
  const int64_t stage = AddStage(5);
  tasks().Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  AddJobOf(stage, "sql at Job.scala:5", 0, 5);
  EXPECT_FALSE(Finds("schema-inference")) << "a text log may lack its query";
  AddQuery(1, {.name = "FileScan json"});
  EXPECT_TRUE(Finds("schema-inference"));
  application().jobs[0].sql_execution = 1;
  EXPECT_FALSE(Finds("schema-inference"));
}

TEST_F(FileRulesTest, JobsOfReadersAndWritersLookAlikeInTextLogs) {
  const int64_t stage = AddStage(5);
  tasks().Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  AddJobOf(stage, "json at Job.scala:5", 0, 5);
  EXPECT_TRUE(Finds("schema-inference"));
  LogTemplate committer;
  committer.text = "File Output Committer Algorithm version is <*>";
  application().logs.templates = {committer};
  EXPECT_FALSE(Finds("schema-inference"));
}

TEST_F(FileRulesTest, AStatementThatDefinesATableOverFilesInfersTheirSchema) {
  const int64_t stage = AddStage(5);
  tasks().Column(TaskMetric::kInputBytes)[0] = 1 << 20;
  AddJobOf(stage, "sql at NativeMethodAccessorImpl.java:0", 0, 5);
  SqlExecution sql;
  sql.id = 1;
  sql.plan.name = "Execute CreateTempViewUsing";
  application().sql_executions.push_back(sql);
  application().jobs.back().sql_execution = 1;
  EXPECT_TRUE(Finds("schema-inference"));
  application().sql_executions.back().plan.name = "Execute CreateDataSourceTableAsSelectCommand";
  EXPECT_FALSE(Finds("schema-inference"));
}

TEST_F(FileRulesTest, AWritersJobAndTheFirstJobOfAnApplicationInferNoSchema) {
  const int64_t first = AddStage(10);
  AddJobOf(first, "parquet at Job.scala:5", 0, 10);
  EXPECT_FALSE(Finds("schema-inference")) << "it waits for executors and loads classes";
  AddQuery(10, {.name = "Execute InsertIntoHadoopFsRelationCommand"}, "csv at Job.scala:9");
  AddJobOf(application().stages.back().id, "csv at Job.scala:9", 10, 20);
  application().jobs.back().sql_execution = 1;
  EXPECT_FALSE(Finds("schema-inference"));
}

TEST_F(FileRulesTest, ListingFoldersExplainsTheTasksOfTheListing) {
  AddStage(1);
  AddJobOf(0, "count at Job.scala:3", 0, 1);
  const int64_t stage = AddStage(20);
  AddJobOf(stage, "load at Job.scala:5", 1, 21, "Listing leaf files and directories for 2004 paths:<br/>hdfs://a");
  for (const size_t task : {4, 5, 6, 7}) tasks().Column(TaskMetric::kGcTime)[task] = 10'000'000'000;
  const Finding finding = Found("file-listing");
  EXPECT_EQ(finding.title, "Listing files takes 20.0% of the time");
  EXPECT_EQ(finding.evidence, "these jobs take 20.0 s; symptom: GC takes 50.0% of task time");
  EXPECT_FALSE(Finds("gc"));
  EXPECT_FALSE(Finds("schema-inference"));
  for (int i = 0; i < 2; ++i) {
    AddStage(20);
    AddJobOf(application().stages.back().id, "load at Job.scala:5", now_ - 20, now_, application().jobs[1].description);
  }
  EXPECT_EQ(Found("file-listing").title, "The same folders are listed 3 times, which takes 60.0% of the time");
  EXPECT_NE(Found("file-listing").change.find("Read the source once"), std::string::npos);
}

TEST_F(FileRulesTest, FiveHundredSmallFilesWrittenAreMany) {
  SqlExecution& sql =
      AddQuery(20, {.name = "Execute InsertIntoHadoopFsRelationCommand",
                    .metrics = {Count("number of written files", 500), Size("written output", 500 * kMebibyte),
                                Count("number of dynamic part", 20), Seconds("task commit time", 4),
                                Seconds("job commit time", 2)}});
  const Finding finding = Found("many-output-files");
  EXPECT_EQ(Weighed(finding),
            "low, saves 2.6 s (1.3 s to 4.0 s); cpu; its stages take 20.0 s, task commits 4.0 s of task time, the "
            "job's commit 2.0 s");
  EXPECT_EQ(finding.title, "A query writes 500 small files of 1.0 MiB on average");
  EXPECT_NE(finding.change.find("Write about 20 files: repartition() by the columns of partitionBy()"),
            std::string::npos)
      << finding.change;
  sql.plan.metrics[2].value = 200;
  EXPECT_NE(Found("many-output-files").change.find("Partitioning by fewer values would make them fewer still"),
            std::string::npos)
      << Found("many-output-files").change;
  sql.plan.metrics[2].value = 400;
  EXPECT_NE(Found("many-output-files").change.find("Write about 4 files: partition by fewer values"), std::string::npos)
      << Found("many-output-files").change;
  sql.plan.metrics[2].value = 0;
  application().stages.back().task_count = 500;
  EXPECT_NE(Found("many-output-files").change.find("coalesce() or repartition()"), std::string::npos);
  application().stages.back().task_count = 25;
  EXPECT_NE(Found("many-output-files").change.find("Write about 20 files: repartition() by the columns"),
            std::string::npos)
      << "each task has rows of all buckets";
  sql.plan.metrics[2].value = 400;
  sql.plan.metrics[0].value = 499;
  EXPECT_FALSE(Finds("many-output-files"));
  sql.plan.metrics[4].value = 4e9;
  EXPECT_EQ(Found("many-output-files").title, "Committing the output of a query takes 4.0 s");
}

TEST_F(FileRulesTest, AFilterThatReadsAllOfTenPartitionsHasNoConditionOnThem) {
  PlanNode scan{.name = "Scan parquet ",
                .text = "FileScan parquet [id] PartitionFilters: [], PushedFilters: [IsNotNull(id)]",
                .metrics = {Count("number of partitions read", 10), Rows(1'000'000)}};
  PlanNode filter{.name = "Filter", .text = "Filter (id#0L > 5)", .metrics = {Rows(100'000)}};
  filter.children = {scan};
  SqlExecution& sql = AddQuery(20, filter);
  const Finding finding = Found("unpruned-partitions");
  EXPECT_EQ(finding.title, "A filter reads all 10 partitions of a table");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(9));
  sql.plan.children[0].metrics[0].value = 9;
  EXPECT_FALSE(Finds("unpruned-partitions"));
  sql.plan.children[0].metrics[0].value = 10;
  sql.plan.children[0].text = "FileScan parquet [id] PartitionFilters: [(day#3 = 1)], PushedFilters: []";
  EXPECT_FALSE(Finds("unpruned-partitions"));
}

TEST_F(FileRulesTest, FiftyDeleteFilesOfAnIcebergTableAreMany) {
  SqlExecution& sql =
      AddQuery(20, {.name = "BatchScan",
                    .text = "BatchScan local.db.sales[id#0L]",
                    .metrics = {Count("number of result delete files", 50), Count("number of result data files", 20),
                                Count("total planning duration (ms)", 800)}});
  const Finding finding = Found("delete-files");
  EXPECT_EQ(finding.title, "A scan of an Iceberg table applies 50 delete files");
  EXPECT_EQ(finding.evidence, "planning the scan takes 800 ms, its stages 20.0 s");
  sql.plan.metrics[0].value = 49;
  EXPECT_FALSE(Finds("delete-files"));
  sql.plan.metrics[2].value = 6'000;
  EXPECT_EQ(Found("delete-files").title, "Planning a scan of an Iceberg table takes 6.0 s");
}

}  // namespace
}  // namespace sparkprof
