// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "event_log/tags/job_tags.h"

namespace sparkprof {
namespace {

using Tags = std::vector<std::string>;

constexpr char kRequest[] = "session_id: \"x\"\nplan {\n  command {\n    pipeline_command {\n      start_run {\n";

class PipelineTagsTest : public testing::Test {
 protected:
  PipelineTagsTest() {
    Job job;
    job.id = 1;
    job.sql_execution = 5;
    job.tags = {"session:x"};
    application_.jobs.push_back(job);
    SqlExecution execution;
    execution.id = 5;
    execution.details = kRequest;
    execution.plan.text =
        "Execute InsertIntoHadoopFsRelationCommand file:/w/a`b, false, Parquet, [path=x], Append, "
        "`spark_catalog`.`default`.`sales`, org.apache.spark.Index(file:/w/sales), [id]";
    application_.sql_executions.push_back(execution);
  }

  const Tags& Added() {
    AddPipelineTags(&application_);
    return application_.jobs[0].tags;
  }

  Application application_;
};

TEST_F(PipelineTagsTest, ABatchFlowHasTheNameOfTheTableThatItWrites) {
  EXPECT_EQ(Added(), (Tags{"session:x", "flow:spark_catalog.default.sales", "dataset:spark_catalog.default.sales"}));
  EXPECT_EQ(Added().size(), 3u) << "once";
}

TEST_F(PipelineTagsTest, AStreamingFlowHasTheNameOfItsQuery) {
  application_.jobs[0].group = "run-1";
  application_.sql_executions[0].details =
      "org.apache.spark.sql.pipelines.graph.TriggeredGraphExecution.run(T.scala:87)";
  StreamingQuery query;
  query.run_id = "run-1";
  query.name = "spark_catalog.default.copy";
  query.sink = "FileSink[file:/w/copies]";
  application_.streaming_queries.push_back(query);
  EXPECT_EQ(Added(), (Tags{"session:x", "flow:spark_catalog.default.copy", "dataset:copies"}));
}

TEST_F(PipelineTagsTest, OtherJobsHaveNoFlow) {
  application_.sql_executions[0].details = "save at Job.scala:9";
  EXPECT_EQ(Added(), Tags{"session:x"});
  application_.jobs[0].sql_execution = -1;
  EXPECT_EQ(Added(), Tags{"session:x"});
}

}  // namespace
}  // namespace sparkprof
