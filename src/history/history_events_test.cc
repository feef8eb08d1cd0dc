// SPDX-License-Identifier: Apache-2.0
// Single events of a log change the answers of Spark's REST API.
#include <gtest/gtest.h>

#include <algorithm>
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

TEST_F(HistoryEventsTest, AQueryThatStartsAgainAfterItsEndBeginsAnew) {
  ExpectHas(
      Get({SqlStart("write"),
           R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd","executionId":4,"time":5000,)"
           R"("errorMessage":"boom"})",
           SqlStart("again")},
          {"sql", "4"}),
      {R"("status":"RUNNING","description":"again")"});
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

std::string Node(const std::string& name, const std::string& children = "") {
  return R"({"nodeName":")" + name + R"(","simpleString":")" + name + R"( x","children":[)" + children +
         R"(],"metadata":{},"metrics":[]})";
}

// The nodes and edges of the answer for a query with this plan.
std::string GraphOf(const std::string& answer) {
  return answer.substr(std::min(answer.find(R"("nodes":)"), answer.size()));
}

std::string QueryWithPlan(const std::string& plan) {
  return R"({"Event":"org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionStart","executionId":4,"description":"",)"
         R"("details":"","physicalPlanDescription":"","sparkPlanInfo":)" +
         plan + R"(,"time":2000})";
}

TEST_F(HistoryEventsTest, NodesOfACodegenStageHaveItsNumberUntilItsInput) {
  const std::string plan =
      Node("WholeStageCodegen (7)", Node("Project", Node("InputAdapter", Node("Exchange", Node("Scan")))));
  EXPECT_EQ(GraphOf(Get({QueryWithPlan(plan)}, {"sql", "4"})),
            R"("nodes":[{"nodeId":3,"nodeName":"Scan","metrics":[]},{"nodeId":2,"nodeName":"Exchange","metrics":[]},)"
            R"({"nodeId":1,"nodeName":"Project","wholeStageCodegenId":7,"metrics":[]},)"
            R"~({"nodeId":0,"nodeName":"WholeStageCodegen (7)","metrics":[]}],)~"
            R"("edges":[{"fromId":2,"toId":1},{"fromId":3,"toId":2}]})");
}

TEST_F(HistoryEventsTest, AReusedExchangeIsAnEdgeToTheFirstOne) {
  const std::string exchange = Node("Exchange", Node("Scan"));
  const std::string expected =
      R"("nodes":[{"nodeId":2,"nodeName":"Scan","metrics":[]},{"nodeId":1,"nodeName":"Exchange","metrics":[]},)"
      R"({"nodeId":0,"nodeName":"Join","metrics":[]}],)"
      R"("edges":[{"fromId":1,"toId":0},{"fromId":2,"toId":1},{"fromId":1,"toId":0}]})";
  EXPECT_EQ(
      GraphOf(Get({QueryWithPlan(Node("Join", exchange + "," + Node("ReusedExchange", exchange)))}, {"sql", "4"})),
      expected);
  EXPECT_EQ(
      GraphOf(Get({QueryWithPlan(Node("Join", exchange + "," + Node("ShuffleQueryStage", exchange)))}, {"sql", "4"})),
      expected);
}

TEST_F(HistoryEventsTest, ASubqueryThatTwoNodesUseIsDrawnOnce) {
  const std::string subquery = Node("Subquery", Node("Scan"));
  const std::string answer =
      GraphOf(Get({QueryWithPlan(Node("Filter", subquery + "," + Node("ReusedSubquery", subquery)))}, {"sql", "4"}));
  EXPECT_EQ(answer.substr(answer.find(R"("edges")")), R"("edges":[{"fromId":1,"toId":0},{"fromId":2,"toId":1}]})");
}

TEST_F(HistoryEventsTest, QueriesAreListedByPages) {
  std::vector<std::string> events;
  for (const char* id : {"4", "5", "6"}) {
    std::string event = SqlStart("write");
    event.replace(event.find(R"("executionId":4)") + 14, 1, id);
    events.push_back(event);
  }
  const std::string page = Get(events, {"sql"}, {{"offset", "1"}, {"length", "1"}});
  ExpectHas(page, {R"("id":5)"});
  ExpectHasNot(page, {R"("id":4)", R"("id":6)"});
  ExpectHasNot(Get(events, {"sql", "4"}, {{"planDescription", "false"}, {"details", "false"}}),
               {"== Plan ==", "nodeName"});
}

std::string Connect(const std::string& event, const std::string& members) {
  return R"({"Event":"org.apache.spark.sql.connect.service.SparkListenerConnect)" + event + R"(",)" + members + "}";
}

TEST_F(HistoryEventsTest, SessionsAndOperationsOfConnectAreThereOnceTheyAreClosed) {
  const std::string tag = "SparkConnect_OperationTag_User_me_Session_s1_Operation_o1";
  const std::string operation = R"("jobTag":")" + tag + R"(","operationId":"o1",)";
  std::vector<std::string> events = {
      Connect("SessionStarted", R"("sessionId":"s1","userId":"me","eventTime":2000)"),
      Connect("OperationStarted", operation + R"("eventTime":2100,"sessionId":"s1","userId":"me","statementText":)"
                                              R"("password=hunter2 x","sparkSessionTags":["b","a"])"),
      R"({"Event":"SparkListenerJobStart","Job ID":3,"Submission Time":2200,"Stage Infos":[],"Stage IDs":[],)"
      R"("Properties":{"spark.job.tags":"x,)" +
          tag + R"("}})",
      Connect("OperationFinished", operation + R"("eventTime":2600)"),
  };
  EXPECT_EQ(Get(events, {"connect", "operations"}), "[]");
  events.push_back(Connect("OperationClosed", operation + R"("eventTime":2700)"));
  events.push_back(Connect("SessionClosed", R"("sessionId":"s1","userId":"me","eventTime":3000)"));
  const std::string session =
      R"({"sessionId":"s1","userId":"me","startTimestamp":2000,"finishTimestamp":3000,"totalExecution":1,"totalTime":1000})";
  EXPECT_EQ(Get(events, {"connect", "sessions"}), "[" + session + "]");
  EXPECT_EQ(Get(events, {"connect", "sessions"}, {{"offset", "1"}, {"length", "5"}}), "[]");
  EXPECT_EQ(Get(events, {"connect", "sessions", "s1"}, {{"userId", "bWU"}}), session);
  EXPECT_EQ(Get(events, {"connect", "sessions", "s1"}), "400 userId is required.");
  EXPECT_EQ(Get(events, {"connect", "sessions", "s2"}, {{"userId", "bWU"}}), "404 unknown session id: s2");
  const std::string answer = Get(events, {"connect", "operations", "detail"}, {{"jobTag", tag}});
  ExpectHas(answer, {R"("operationId":"o1")", R"("state":"CLOSED")", R"("duration":600,"executionTime":500)",
                     R"("sparkSessionTags":["a","b"],"jobIds":["3"],"sqlExecIds":[],"detail":"")"});
  ExpectHasNot(answer, {"hunter2"});
  EXPECT_EQ(Get(events, {"connect", "operations", "detail"}, {{"jobTag", "x"}}), "404 unknown jobTag: x");
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
