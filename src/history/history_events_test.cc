// SPDX-License-Identifier: Apache-2.0
// Single events of a log change the answers of Spark's REST API.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "history/testing/history_fixture.h"

namespace sparkprof {
namespace {

class HistoryEventsTest : public HistoryFixture {};

std::string ExecutorRemoved(const std::string& id) {
  return R"({"Event":"SparkListenerExecutorRemoved","Timestamp":2200,"Executor ID":")" + id +
         R"(","Removed Reason":"password=hunter2 lost"})";
}

TEST_F(HistoryEventsTest, ExecutorsThatAreGoneAreOnlyInTheListOfAll) {
  const std::vector<std::string> events = {ExecutorAdded("1", "h1"), ExecutorAdded("2", "h2"), ExecutorRemoved("1")};
  const std::string active = Get(events, {"executors"});
  EXPECT_EQ(active.find(R"("id":"1")"), std::string::npos) << active;
  ExpectHas(active, {R"("id":"2")", R"("isActive":true)", R"("totalCores":4)"});
  const std::string all = Get(events, {"allexecutors"});
  ExpectHas(all, {R"("id":"1")", R"("isActive":false)", R"("removeTime":"1970-01-01T00:00:02.200GMT")"});
  EXPECT_EQ(all.find("hunter2"), std::string::npos) << all;
}

TEST_F(HistoryEventsTest, AnExcludedExecutorIsSoUntilItIsTakenBack) {
  std::vector<std::string> events = {
      ExecutorAdded("1", "h1"),
      R"({"Event":"org.apache.spark.scheduler.SparkListenerExecutorExcluded","time":1500,"executorId":"1","taskFailures":2})"};
  ExpectHas(Get(events, {"executors"}), {R"("isBlacklisted":true)", R"("isExcluded":true)"});
  events.push_back(
      R"({"Event":"org.apache.spark.scheduler.SparkListenerExecutorUnexcluded","time":1600,"executorId":"1"})");
  ExpectHas(Get(events, {"executors"}), {R"("isBlacklisted":false)", R"("isExcluded":false)"});
}

TEST_F(HistoryEventsTest, AnExcludedNodeExcludesItsExecutors) {
  std::vector<std::string> events = {
      ExecutorAdded("1", "h1"),
      R"({"Event":"org.apache.spark.scheduler.SparkListenerNodeExcluded","time":1500,"hostId":"h1","executorFailures":1})"};
  ExpectHas(Get(events, {"executors"}), {R"("isExcluded":true)"});
  events.push_back(R"({"Event":"org.apache.spark.scheduler.SparkListenerNodeUnexcluded","time":1600,"hostId":"h1"})");
  ExpectHas(Get(events, {"executors"}), {R"("isExcluded":false)"});
}

std::string SqlStart(std::string_view description) {
  return R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":4,"description":")" +
         std::string(description) +
         R"(","details":"Job.scala:9","physicalPlanDescription":"== Plan ==","sparkPlanInfo":{"nodeName":"Scan",)"
         R"("simpleString":"Scan t","children":[],"metadata":{},"metrics":[)"
         R"({"name":"rows","accumulatorId":7,"metricType":"sum"}]},"time":2000})";
}

TEST_F(HistoryEventsTest, AQueryRunsUntilItsEndAndFailsWithItsError) {
  std::vector<std::string> events = {SqlStart("write")};
  ExpectHas(Get(events, {"sql"}), {R"("status":"RUNNING")", R"("id":4)", R"("description":"write")"});
  events.push_back(R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerDriverAccumUpdates","executionId":4,)"
                   R"("accumUpdates":[[7,12]]})");
  events.push_back(R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd","executionId":4,)"
                   R"("time":5000,"errorMessage":"boom"})");
  const std::string done = Get(events, {"sql", "4"}, {{"details", "true"}});
  ExpectHas(done, {R"("duration":3000)", R"("status":"FAILED")", R"("nodeName":"Scan")", R"("name":"rows")", "12"});
  EXPECT_EQ(Get(events, {"sql", "5"}).substr(0, 4), "404 ");
  EXPECT_EQ(Get(events, {"sql", "x"}).substr(0, 4), "404 ");
}

TEST_F(HistoryEventsTest, ADescriptionOfAQueryHasNoSecrets) {
  const std::string answer = Get({SqlStart("load password=hunter2")}, {"sql"});
  EXPECT_EQ(answer.find("hunter2"), std::string::npos) << answer;
}

TEST_F(HistoryEventsTest, PlansOfTheAdaptiveExecutionReplaceTheFirst) {
  const std::string answer =
      Get({SqlStart("write"),
           R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLAdaptiveExecutionUpdate","executionId":4,)"
           R"("physicalPlanDescription":"== Later ==","sparkPlanInfo":{"nodeName":"Join","simpleString":"Join",)"
           R"("children":[],"metadata":{},"metrics":[]}})"},
          {"sql", "4"}, {{"details", "true"}, {"planDescription", "true"}});
  ExpectHas(answer, {"== Later ==", R"("nodeName":"Join")"});
  EXPECT_EQ(answer.find(R"("nodeName":"Scan")"), std::string::npos) << answer;
}

TEST_F(HistoryEventsTest, WhatIsNotThereIsAnsweredWithSparksWords) {
  EXPECT_EQ(Get({}, {"sql"}), "[]");
  EXPECT_EQ(Get({}, {"jobs"}), "[]");
  EXPECT_EQ(Get({}, {"stages"}), "[]");
  EXPECT_EQ(Get({}, {"storage", "rdd"}), "[]");
  EXPECT_EQ(Get({}, {"storage", "rdd", "3"}).substr(0, 4), "404 ");
  EXPECT_EQ(Get({}, {"allmiscellaneousprocess"}), "[]");
  EXPECT_EQ(Get({}, {"nothing"}).substr(0, 4), "404 ");
}

}  // namespace
}  // namespace sparkprof
