// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "event_log/events/event_handlers.h"
#include "event_log/testing/read_events.h"

namespace sparkprof {
namespace {

const std::string kPackage = "org.apache.spark.sql.execution.ui.";

const std::string kStart =
    R"({"Event":")" + kPackage +
    R"(SparkListenerSQLExecutionStart","executionId":5,"rootExecutionId":4,"description":"count","details":"at A",)"
    R"("physicalPlanDescription":"first plan","time":1000,"sparkPlanInfo":{"nodeName":"Scan","simpleString":"Scan t",)"
    R"("children":[],"metrics":[{"name":"rows","accumulatorId":1,"metricType":"sum"}]}})";
const std::string kUpdate =
    R"({"Event":")" + kPackage +
    R"(SparkListenerSQLAdaptiveExecutionUpdate","executionId":5,"physicalPlanDescription":"last plan","sparkPlanInfo":{)"
    R"("nodeName":"Aggregate","simpleString":"Aggregate k","metrics":[)"
    R"({"name":"rows","accumulatorId":1,"metricType":"sum"},{"name":"data size","accumulatorId":2,"metricType":"size"},)"
    R"({"name":"time","accumulatorId":3,"metricType":"timing"},{"name":"write time","accumulatorId":4,"metricType":"nsTiming"},)"
    R"({"name":"probes","accumulatorId":5,"metricType":"average"},{"name":"unused","accumulatorId":6,"metricType":"sum"}],)"
    R"("children":[{"nodeName":"Scan","simpleString":"Scan t","children":[],"metrics":[]}]}})";
const std::string kEnd = R"({"Event":")" + kPackage + R"(SparkListenerSQLExecutionEnd","executionId":5,"time":3000})";

// A successful task of stage 2 that adds `value` to the accumulator, as SQL metrics are written.
std::string TaskAdding(int task, int attempt, int accumulator, const std::string& value, const std::string& reason) {
  return R"({"Event":"SparkListenerTaskEnd","Stage ID":2,"Stage Attempt ID":)" + std::to_string(attempt) +
         R"(,"Task End Reason":{"Reason":")" + reason + R"("},"Task Info":{"Task ID":)" + std::to_string(task) +
         R"(,"Launch Time":1,"Finish Time":2,"Failed":false,"Accumulables":[{"ID":)" + std::to_string(accumulator) +
         R"(,"Name":"x","Update":")" + value +
         R"(","Value":"999","Internal":true,"Metadata":"sql"},)"
         R"({"ID":)" +
         std::to_string(accumulator) + R"(,"Name":"internal.metrics.resultSize","Update":55}]}})";
}

const PlanMetric& MetricOf(const Application& application, const std::string& name) {
  for (const PlanMetric& metric : application.sql_executions.at(0).plan.metrics) {
    if (metric.name == name) return metric;
  }
  ADD_FAILURE() << "no metric " << name;
  return application.sql_executions.at(0).plan.metrics.front();
}

TEST(SqlEventsTest, AnExecutionHasItsTextsAndThePlanThatAdaptiveExecutionChoseLast) {
  const Application application = ReadEvents({kStart, kUpdate, kEnd});
  ASSERT_EQ(application.sql_executions.size(), 1u);
  const SqlExecution& execution = application.sql_executions[0];
  EXPECT_EQ(execution.id, 5);
  EXPECT_EQ(execution.root_id, 4);
  EXPECT_EQ(execution.description, "count");
  EXPECT_EQ(execution.details, "at A");
  EXPECT_EQ(execution.plan_text, "last plan");
  EXPECT_EQ(execution.start_ns, 1'000'000'000);
  EXPECT_EQ(execution.end_ns, 3'000'000'000);
  EXPECT_EQ(execution.status, RunStatus::kSucceeded);
  EXPECT_EQ(execution.plan.name, "Aggregate");
  EXPECT_EQ(execution.plan.text, "Aggregate k");
  ASSERT_EQ(execution.plan.children.size(), 1u);
  EXPECT_EQ(execution.plan.children[0].text, "Scan t");
}

std::string LocationInPlan(const std::string& text, const std::string& metadata) {
  const Application application =
      ReadEvents({R"({"Event":")" + kPackage + R"(SparkListenerSQLExecutionStart","executionId":5,"sparkPlanInfo":{)" +
                  R"("nodeName":"Scan csv ","simpleString":")" + text + R"(","metadata":)" + metadata + "}}"});
  return application.sql_executions.at(0).plan.text;
}

TEST(SqlEventsTest, ALocationThatSparkCutIsCompleted) {
  EXPECT_EQ(LocationInPlan("FileScan Location: Index(1 paths)[file:/a..., Filters: []",
                           R"({"Location":"Index(1 paths)[file:/a/long/path]"})"),
            "FileScan Location: Index(1 paths)[file:/a/long/path], Filters: []");
  for (const char* const metadata : {R"({"Location":"Index(1 paths)[file:/b]"})", "{}", "7", R"({"Location":7})"}) {
    EXPECT_EQ(LocationInPlan("FileScan Location: Index(1 paths)[file:/a..., Filters: []", metadata),
              "FileScan Location: Index(1 paths)[file:/a..., Filters: []");
  }
  EXPECT_EQ(LocationInPlan("FileScan Location: Index(1 paths)[file:/a]", R"({"Location":"Index(1 paths)[file:/a]"})"),
            "FileScan Location: Index(1 paths)[file:/a]");
}

TEST(SqlEventsTest, AnExecutionWithoutEndRuns) {
  EXPECT_EQ(ReadEvents({kStart}).sql_executions.at(0).status, RunStatus::kRunning);
}

TEST(SqlEventsTest, PlanMetricsAddUpWhatTasksAndTheDriverSay) {
  const Application application = ReadEvents(
      {kStart, kUpdate, TaskAdding(1, 0, 1, "10", "Success"), TaskAdding(2, 0, 1, "20", "Success"),
       TaskAdding(3, 0, 2, "-1", "Success"), TaskAdding(4, 0, 2, "100", "Success"), TaskAdding(5, 0, 3, "7", "Success"),
       TaskAdding(6, 0, 4, "8", "Success"), TaskAdding(7, 0, 5, "10", "Success"), TaskAdding(8, 0, 5, "20", "Success"),
       R"({"Event":")" + kPackage +
           R"(SparkListenerDriverAccumUpdates","executionId":5,"accumUpdates":[[1,3],[9],"x",[4]]})",
       kEnd});
  EXPECT_EQ(MetricOf(application, "rows").value, 33);
  EXPECT_EQ(MetricOf(application, "data size").value, 100);
  EXPECT_EQ(MetricOf(application, "time").value, 7'000'000);
  EXPECT_EQ(MetricOf(application, "write time").value, 8);
  EXPECT_EQ(MetricOf(application, "probes").value, 1.5);
  EXPECT_TRUE(MetricOf(application, "rows").has_value);
  EXPECT_FALSE(MetricOf(application, "unused").has_value);
}

TEST(SqlEventsTest, FailedTasksAndEarlierStageAttemptsDoNotCount) {
  const Application application =
      ReadEvents({kStart, kUpdate, TaskAdding(1, 0, 1, "10", "Success"), TaskAdding(2, 1, 1, "20", "Success"),
                  TaskAdding(3, 1, 1, "40", "ExceptionFailure"), TaskAdding(2, 1, 1, "20", "Resubmitted")});
  EXPECT_EQ(MetricOf(application, "rows").value, 20);
}

TEST(SqlEventsTest, AStagesValueCountsWhereNoTaskToldOfTheMetric) {
  const Application application = ReadEvents(
      {kStart, kUpdate, TaskAdding(1, 0, 1, "10", "Success"),
       R"({"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":2,"Stage Attempt ID":0,"Completion Time":5,)"
       R"("Accumulables":[{"ID":1,"Value":"77"},{"ID":2,"Value":"88"},{"ID":3,"Value":9}]}})"});
  EXPECT_EQ(MetricOf(application, "rows").value, 10);
  EXPECT_EQ(MetricOf(application, "data size").value, 88);
  EXPECT_FALSE(MetricOf(application, "time").has_value);
}

TEST(SqlEventsTest, WhatGlutenLeavesToSparkIsAppendedToThePlansText) {
  const std::string event = R"({"Event":"org.apache.gluten.events.GlutenPlanFallbackEvent","executionId":5,)";
  const Application application = ReadEvents(
      {kStart, event + R"("fallbackNodeToReason":{"002 Filter":"not\nsupported","003 Window":"no"}})", kUpdate,
       event + R"("fallbackNodeToReason":{"001 Filter":"not\nsupported"}})", event + R"("numGlutenNodes":1})"});
  EXPECT_EQ(application.sql_executions.at(0).plan_text,
            "last plan\n== Extended Information (Gluten) ==\n"
            "Filter [GLUTEN: not supported]\nWindow [GLUTEN: no]\n");
  EXPECT_EQ(application.damaged_events, 1);
}

TEST(SqlEventsTest, AnExecutionFailsWithItsMessageOrWithItsJob) {
  const Application by_message =
      ReadEvents({kStart, R"({"Event":")" + kPackage +
                              R"(SparkListenerSQLExecutionEnd","executionId":5,"time":3000,"errorMessage":"no"})"});
  EXPECT_EQ(by_message.sql_executions.at(0).status, RunStatus::kFailed);
  EXPECT_EQ(by_message.sql_executions.at(0).failure, "no");

  const Application by_job = ReadEvents(
      {kStart,
       R"({"Event":"SparkListenerJobStart","Job ID":1,"Stage IDs":[2],"Properties":{"spark.sql.execution.id":"5"}})",
       R"({"Event":"SparkListenerJobEnd","Job ID":1,"Completion Time":9,"Job Result":{"Result":"JobFailed",)"
       R"("Exception":{"Message":"boom"}}})",
       kEnd});
  EXPECT_EQ(by_job.sql_executions.at(0).status, RunStatus::kFailed);
  EXPECT_EQ(by_job.sql_executions.at(0).failure, "boom");
  EXPECT_EQ(by_job.sql_executions.at(0).jobs, std::vector<int64_t>{1});
}

TEST(SqlEventsTest, APlanDeeperThanAnyRealOneIsCountedAsDamaged) {
  std::string plan;
  for (int depth = 0; depth < 5000; ++depth) plan += R"({"nodeName":"n","children":[)";
  for (int depth = 0; depth < 5000; ++depth) plan += "]}";
  const Application application = ReadEvents(
      {kStart, R"({"Event":"SparkListenerSQLAdaptiveExecutionUpdate","executionId":5,"sparkPlanInfo":)" + plan + "}"});
  EXPECT_EQ(application.damaged_events, 1);
  EXPECT_EQ(application.sql_executions.at(0).plan.name, "Scan");
}

TEST(SqlEventsTest, ANodeKnowsTheStagesWhoseTasksItsMetricsComeFrom) {
  const std::string stage =
      R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":2,"Stage Attempt ID":0,"Number of Tasks":2}})";
  const Application application = ReadEvents(
      {kStart, kUpdate, stage, TaskAdding(0, 0, 1, "7", "Success"), TaskAdding(1, 0, 1, "8", "Success"), kEnd});
  const PlanNode& plan = application.sql_executions.at(0).plan;
  EXPECT_EQ(plan.stages, std::vector<int64_t>{2});
  EXPECT_TRUE(plan.children.at(0).stages.empty());
}

}  // namespace
}  // namespace sparkprof
