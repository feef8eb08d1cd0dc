// SPDX-License-Identifier: Apache-2.0
// Single events of a log change the answers of Spark's REST API.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "history/history_answers.h"
#include "history/history_loader.h"

namespace sparkprof {
namespace {

class HistoryEventsTest : public testing::Test {
 protected:
  void SetUp() override {
    path_ = std::filesystem::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name();
  }
  void TearDown() override { std::filesystem::remove(path_); }

  // The answer for an application with these events.
  std::string Get(const std::vector<std::string>& events, const std::vector<std::string>& path,
                  const std::vector<std::pair<std::string, std::string>>& parameters = {}) {
    std::ofstream log(path_);
    log << R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.7"})"
        << "\n"
        << R"({"Event":"SparkListenerApplicationStart","App Name":"etl","App ID":"app-1","Timestamp":1000,"User":"me"})"
        << "\n";
    for (const std::string& event : events) log << event << "\n";
    log.close();
    const Result<History> history = LoadHistory({{path_}, 0}, 1);
    if (!history) return history.error().message;
    const HistoryAnswer answer = AnswerHistory(*history, path, parameters, 9000);
    return answer.status == 200 ? answer.body : std::to_string(answer.status) + " " + answer.body;
  }

  std::filesystem::path path_;
};

void ExpectHas(const std::string& text, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

std::string ExecutorAdded(const std::string& id, const std::string& host) {
  return R"({"Event":"SparkListenerExecutorAdded","Timestamp":1200,"Executor ID":")" + id +
         R"(","Executor Info":{"Host":")" + host + R"(","Total Cores":4}})";
}

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

TEST_F(HistoryEventsTest, ACachedRddIsThereUntilItIsUnpersisted) {
  const std::string stage =
      R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":3,"Stage Attempt ID":0,"Stage Name":"s",)"
      R"("Number of Tasks":2,"Details":"","Submission Time":2000,"RDD Info":[{"RDD ID":5,"Name":"table t","Scope":"{}",)"
      R"("Storage Level":{"Use Disk":false,"Use Memory":true,"Deserialized":true,"Replication":1},)"
      R"("Number of Partitions":2,"Number of Cached Partitions":0,"Memory Size":0,"Disk Size":0}]}})";
  const std::string block =
      R"({"Event":"SparkListenerBlockUpdated","Block Updated Info":{"Block Manager ID":{"Executor ID":"1","Host":"h1",)"
      R"("Port":1},"Block ID":"rdd_5_0","Storage Level":{"Use Disk":false,"Use Memory":true,"Deserialized":true,)"
      R"("Replication":1},"Memory Size":300,"Disk Size":0}})";
  const std::string manager =
      R"({"Event":"SparkListenerBlockManagerAdded","Block Manager ID":{"Executor ID":"1","Host":"h1","Port":1},)"
      R"("Maximum Memory":1000,"Timestamp":1300})";
  std::vector<std::string> events = {ExecutorAdded("1", "h1"), manager, stage, block};
  ExpectHas(Get(events, {"storage", "rdd"}), {R"("id":5)", R"("name":"table t")", R"("memoryUsed":300)"});
  ExpectHas(Get(events, {"storage", "rdd", "5"}), {R"("numCachedPartitions":1)", R"("blockName":"rdd_5_0")"});
  ExpectHas(Get(events, {"executors"}), {R"("memoryUsed":300)", R"("maxMemory":1000)", R"("rddBlocks":1)"});
  events.push_back(R"({"Event":"SparkListenerUnpersistRDD","RDD ID":5})");
  EXPECT_EQ(Get(events, {"storage", "rdd"}), "[]");
}

}  // namespace
}  // namespace sparkprof
