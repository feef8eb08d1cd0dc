// SPDX-License-Identifier: Apache-2.0
// Jobs, stages and tasks from their starts to their ends, however they end.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "history/testing/history_fixture.h"

namespace sparkprof {
namespace {

class SchedulerEventsTest : public HistoryFixture {};

std::string StageInfoOf(int id, int attempt, const std::string& more = "") {
  return R"({"Stage ID":)" + std::to_string(id) + R"(,"Stage Attempt ID":)" + std::to_string(attempt) +
         R"(,"Stage Name":"stage )" + std::to_string(id) + R"(","Number of Tasks":2,"RDD Info":[],"Details":"d")" +
         more + "}";
}

// Job 0 with stages 3 and 4 of two tasks each.
std::string JobStart() {
  return R"({"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1500,"Stage Infos":[)" + StageInfoOf(3, 0) +
         "," + StageInfoOf(4, 0) + R"(],"Properties":{"spark.jobGroup.id":"nightly"}})";
}

std::string JobEnd(const std::string& result) {
  return R"({"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":3700,"Job Result":{"Result":")" + result +
         R"("}})";
}

std::string StageSubmitted(int id, int attempt = 0) {
  return R"({"Event":"SparkListenerStageSubmitted","Stage Info":)" +
         StageInfoOf(id, attempt, R"(,"Submission Time":2000)") +
         R"(,"Properties":{"spark.scheduler.pool":"batch","spark.job.description":"load"}})";
}

std::string StageCompleted(int id, int attempt = 0, const std::string& more = "") {
  return R"({"Event":"SparkListenerStageCompleted","Stage Info":)" +
         StageInfoOf(id, attempt, R"(,"Submission Time":2000,"Completion Time":3600)" + more) + "}";
}

struct TaskEnds {
  int id = 0;
  std::string reason = R"({"Reason":"Success"})";
  bool failed = false;
  bool killed = false;
  bool speculative = false;
  int index = 0;
  int stage_attempt = 0;
};

std::string TaskInfoOf(const TaskEnds& task, int finish_ms) {
  const auto text = [](bool value) { return std::string(value ? "true" : "false"); };
  return R"("Stage ID":3,"Stage Attempt ID":)" + std::to_string(task.stage_attempt) + R"(,"Task Info":{"Task ID":)" +
         std::to_string(task.id) + R"(,"Index":)" + std::to_string(task.index) +
         R"(,"Attempt":0,"Launch Time":2100,"Executor ID":"1","Host":"h1","Locality":"ANY","Speculative":)" +
         text(task.speculative) + R"(,"Getting Result Time":0,"Finish Time":)" + std::to_string(finish_ms) +
         R"(,"Failed":)" + text(task.failed) + R"(,"Killed":)" + text(task.killed) + R"(,"Accumulables":[]})";
}

std::string Start(const TaskEnds& task) { return R"({"Event":"SparkListenerTaskStart",)" + TaskInfoOf(task, 0) + "}"; }

std::string End(const TaskEnds& task) {
  return R"({"Event":"SparkListenerTaskEnd","Task End Reason":)" + task.reason + "," + TaskInfoOf(task, 2500) +
         R"(,"Task Metrics":{"Executor Run Time":350,"JVM GC Time":7,"Input Metrics":{"Bytes Read":100,)"
         R"("Records Read":3},"Shuffle Read Metrics":{"Remote Bytes Read":10,"Local Bytes Read":5},)"
         R"("Shuffle Write Metrics":{"Shuffle Bytes Written":20,"Shuffle Records Written":2}}})";
}

// A job whose stage 3 runs this task.
std::vector<std::string> WithTask(const TaskEnds& task) {
  return {ExecutorAdded("1", "h1"), JobStart(), StageSubmitted(3), Start(task), End(task)};
}

const std::string kException =
    R"({"Reason":"ExceptionFailure","Class Name":"java.io.IOException","Description":"disk is full",)"
    R"("Stack Trace":[],"Full Stack Trace":"java.io.IOException: disk is full\n\tat Job.map","Accumulator Updates":[]})";

TEST_F(SchedulerEventsTest, ATaskThatSucceedsCountsEverywhere) {
  const std::vector<std::string> events = WithTask({});
  ExpectHas(Get(events, {"jobs", "0"}), {R"("numActiveTasks":0,"numCompletedTasks":1,)", R"("numFailedTasks":0)",
                                         R"("numActiveStages":1)", R"("status":"RUNNING")", R"("numTasks":4)"});
  ExpectHas(
      Get(events, {"stages", "3", "0"}),
      {R"("status":"ACTIVE")", R"("numCompleteTasks":1)", R"("firstTaskLaunchedTime":"1970-01-01T00:00:02.100GMT")",
       R"("schedulingPool":"batch")", R"("description":"load")", R"("inputBytes":100)", R"("shuffleReadBytes":15)"});
  ExpectHas(Get(events, {"executors"}),
            {R"("activeTasks":0,"failedTasks":0,"completedTasks":1,"totalTasks":1,"totalDuration":400,"totalGCTime":7,)"
             R"("totalInputBytes":100,"totalShuffleRead":15,"totalShuffleWrite":20)"});
}

TEST_F(SchedulerEventsTest, AFailedTaskCountsInItsStageJobAndExecutorAndHasItsError) {
  const std::vector<std::string> events = WithTask({.reason = kException, .failed = true});
  ExpectHas(Get(events, {"jobs", "0"}), {R"("numCompletedTasks":0)", R"("numFailedTasks":1)"});
  ExpectHas(Get(events, {"stages", "3", "0"}, {{"details", "false"}}),
            {R"("numFailedTasks":1)", R"("numCompletedIndices":0)"});
  ExpectHas(Get(events, {"stages", "3", "0", "taskList"}), {R"("status":"FAILED")", "disk is full"});
  ExpectHas(Get(events, {"executors"}), {R"("failedTasks":1,"completedTasks":0)"});
}

TEST_F(SchedulerEventsTest, KilledTasksAreCountedByTheirReason) {
  const std::string killed = R"({"Reason":"TaskKilled","Kill Reason":"another attempt succeeded"})";
  std::vector<std::string> events = WithTask({.reason = killed, .killed = true});
  const TaskEnds second{.id = 1, .reason = killed, .killed = true, .index = 1};
  events.insert(events.end(), {Start(second), End(second)});
  const std::string summary = R"("killedTasksSummary":{"another attempt succeeded":2})";
  ExpectHas(Get(events, {"jobs", "0"}), {R"("numKilledTasks":2)", summary});
  ExpectHas(Get(events, {"stages", "3", "0"}), {R"("numKilledTasks":2)", summary, R"("killedTasks":2)"});
  ExpectHas(Get(events, {"executors"}), {R"("failedTasks":0,"completedTasks":0,"totalTasks":2)"});
}

TEST_F(SchedulerEventsTest, AResubmittedTaskIsNoLongerActiveOnce) {
  std::vector<std::string> events = WithTask({});
  events.push_back(End({.reason = R"({"Reason":"Resubmitted"})", .failed = true}));
  ExpectHas(Get(events, {"jobs", "0"}), {R"("numActiveTasks":0,"numCompletedTasks":1,)", R"("numFailedTasks":1)"});
  ExpectHas(Get(events, {"executors"}),
            {R"("activeTasks":0,"failedTasks":1,"completedTasks":1)", R"("totalInputBytes":100)"});
}

TEST_F(SchedulerEventsTest, SpeculativeTasksHaveASummaryInTheDetails) {
  std::vector<std::string> events = WithTask({});
  ExpectHasNot(Get(events, {"stages", "3", "0"}), {"speculationSummary"});
  const TaskEnds copy{.id = 5, .speculative = true};
  events.push_back(Start(copy));
  ExpectHas(Get(events, {"stages", "3", "0"}),
            {R"("speculationSummary":{"numTasks":1,"numActiveTasks":1,"numCompletedTasks":0,"numFailedTasks":0,)"
             R"("numKilledTasks":0})"});
  events.push_back(End(copy));
  const std::string stage = Get(events, {"stages", "3", "0"});
  ExpectHas(stage, {R"("speculationSummary":{"numTasks":1,"numActiveTasks":0,"numCompletedTasks":1)"});
  ExpectHas(stage, {R"("numCompleteTasks":2)", R"("numCompletedIndices":1)"});
}

TEST_F(SchedulerEventsTest, AStageThatALaterJobRunsAgainKeepsItsTasksAndSpeculation) {
  const TaskEnds copy{.id = 5, .speculative = true};
  std::vector<std::string> events = WithTask(copy);
  events.insert(events.end(), {StageCompleted(3), JobEnd("JobSucceeded"), JobStart()});
  ExpectHas(Get(events, {"stages", "3", "0"}), {R"("status":"PENDING")", R"("numCompleteTasks":0)", R"("taskId":5)",
                                                R"("executorSummary":{"1":)", R"("speculationSummary":{"numTasks":1)"});
}

TEST_F(SchedulerEventsTest, AStageHasItsResourceProfileAndPushBasedShuffle) {
  const std::vector<std::string> events = {
      JobStart(), R"({"Event":"SparkListenerStageSubmitted","Stage Info":)" +
                      StageInfoOf(3, 0,
                                  R"(,"Submission Time":2000,"Resource Profile Id":2,"Shuffle Push Enabled":true,)"
                                  R"("Shuffle Push Mergers Count":4)") +
                      "}"};
  ExpectHas(Get(events, {"stages", "3", "0"}),
            {R"("resourceProfileId":2)", R"("isShufflePushEnabled":true,"shuffleMergersCount":4)",
             R"("schedulingPool":"default")"});
}

TEST_F(SchedulerEventsTest, StagesThatDidNotRunAreSkippedWhenTheirJobEnds) {
  std::vector<std::string> events = WithTask({});
  events.insert(events.end(), {StageCompleted(3), JobEnd("JobSucceeded")});
  ExpectHas(Get(events, {"jobs", "0"}),
            {R"("status":"SUCCEEDED")", R"("numSkippedTasks":2)", R"("numCompletedStages":1)",
             R"("numSkippedStages":1)", R"("jobGroup":"nightly")", R"("name":"stage 4")"});
  ExpectHas(Get(events, {"stages", "4", "0"}), {R"("status":"SKIPPED")"});
  ExpectHas(Get(events, {"stages", "3", "0"}), {R"("status":"COMPLETE")"});
  const std::string skipped = Get(events, {"stages"}, {{"status", "skipped"}});
  ExpectHas(skipped, {R"("stageId":4)"});
  ExpectHasNot(skipped, {R"("stageId":3)"});
}

TEST_F(SchedulerEventsTest, AFailedStageFailsItsJobAndHasItsReason) {
  std::vector<std::string> events = WithTask({.reason = kException, .failed = true});
  events.insert(events.end(),
                {StageCompleted(3, 0, R"(,"Failure Reason":"password=hunter2 lost")"), JobEnd("JobFailed")});
  ExpectHas(Get(events, {"jobs"}, {{"status", "failed"}}), {R"("status":"FAILED")", R"("numFailedStages":1)"});
  EXPECT_EQ(Get(events, {"jobs"}, {{"status", "succeeded"}}), "[]");
  const std::string stage = Get(events, {"stages", "3", "0"});
  ExpectHas(stage, {R"("status":"FAILED")", R"("failureReason":")", "lost"});
  ExpectHasNot(stage, {"hunter2"});
}

TEST_F(SchedulerEventsTest, ASecondAttemptOfAStageIsARowOfItsOwn) {
  std::vector<std::string> events = WithTask({});
  const TaskEnds again{.id = 9, .stage_attempt = 1};
  events.insert(events.end(), {StageCompleted(3, 0, R"(,"Failure Reason":"fetch failed")"), StageSubmitted(3, 1),
                               Start(again), End(again), StageCompleted(3, 1)});
  const std::string both = Get(events, {"stages", "3"}, {{"details", "false"}});
  ExpectHas(both,
            {R"("status":"FAILED","stageId":3,"attemptId":0)", R"("status":"COMPLETE","stageId":3,"attemptId":1)"});
  EXPECT_EQ(Get(events, {"stages", "3", "2"}), "404 unknown attempt for stage 3.  Found attempts: [0,1]");
  ExpectHas(Get(events, {"jobs", "0"}), {R"("numActiveStages":0,"numCompletedStages":1)", R"("numFailedStages":1)"});
}

TEST_F(SchedulerEventsTest, AnExecutorExcludedForAStageIsSoUntilTheStageEnds) {
  std::vector<std::string> events = WithTask({});
  events.push_back(R"({"Event":"org.apache.spark.scheduler.SparkListenerExecutorExcludedForStage","time":2600,)"
                   R"("executorId":"1","taskFailures":2,"stageId":3,"stageAttemptId":0})");
  ExpectHas(Get(events, {"executors"}), {R"("excludedInStages":[3])", R"("isExcluded":false)"});
  ExpectHas(Get(events, {"stages", "3", "0"}), {R"("isExcludedForStage":true)"});
  events.push_back(StageCompleted(3));
  ExpectHas(Get(events, {"executors"}), {R"("excludedInStages":[])"});
}

TEST_F(SchedulerEventsTest, ANodeExcludedForAStageExcludesItsExecutors) {
  std::vector<std::string> events = WithTask({});
  events.insert(events.begin() + 1, ExecutorAdded("2", "h2"));
  events.push_back(R"({"Event":"org.apache.spark.scheduler.SparkListenerNodeExcludedForStage","time":2600,)"
                   R"("hostId":"h1","executorFailures":2,"stageId":3,"stageAttemptId":0})");
  const std::string executors = Get(events, {"executors"});
  const size_t second = executors.find(R"("id":"2")"), first = executors.find(R"("id":"1")");
  ASSERT_LT(second, first) << "the newest first";
  ExpectHas(executors.substr(first), {R"("excludedInStages":[3])"});
  ExpectHas(executors.substr(second, first - second), {R"("excludedInStages":[])"});
}

TEST_F(SchedulerEventsTest, TasksAreListedByStatus) {
  std::vector<std::string> events = WithTask({});
  const TaskEnds failed{.id = 1, .reason = kException, .failed = true, .index = 1};
  events.insert(events.end(), {Start(failed), End(failed), Start({.id = 2, .index = 1})});
  const auto ids = [&](const std::string& status) {
    const std::string list = Get(events, {"stages", "3", "0", "taskList"}, {{"status", status}});
    std::string found;
    for (const char* id : {"0", "1", "2"}) {
      if (list.find(R"("taskId":)" + std::string(id)) != std::string::npos) found += id;
    }
    return list.starts_with("404") ? list.substr(0, 3) : found;
  };
  EXPECT_EQ(ids("success"), "0");
  EXPECT_EQ(ids("failed"), "1");
  EXPECT_EQ(ids("running"), "2");
  EXPECT_EQ(ids("killed"), "");
  EXPECT_EQ(ids("sleeping"), "404");
}

TEST_F(SchedulerEventsTest, ATaskThatRunsHasNoMetrics) {
  std::vector<std::string> events = WithTask({});
  ExpectHas(Get(events, {"stages", "3", "0", "taskList"}), {"taskMetrics"});
  events.pop_back();
  ExpectHasNot(Get(events, {"stages", "3", "0", "taskList"}), {"taskMetrics"});
}

TEST_F(SchedulerEventsTest, StagesAreListedByTheStatusesOfTheirTasks) {
  const std::vector<std::string> events = WithTask({.reason = kException, .failed = true});
  const auto has = [&](const std::string& status) {
    const std::string list = Get(events, {"stages"}, {{"details", "true"}, {"taskStatus", status}});
    return list.find(R"("stageId":3)") != std::string::npos;
  };
  EXPECT_TRUE(has("failed"));
  EXPECT_FALSE(has("success"));
  EXPECT_FALSE(has("killed"));
  EXPECT_FALSE(has("running"));
  EXPECT_TRUE(has("unknown")) << "one of two tasks has not started";
}

TEST_F(SchedulerEventsTest, SortedByRunTimeTasksThatFailedComeFirst) {
  std::vector<std::string> events = WithTask({});
  const TaskEnds failed{.id = 1, .reason = kException, .failed = true, .index = 1};
  events.insert(events.end(), {Start(failed), End(failed)});
  const auto first = [&](const std::string& order) {
    const std::string list = Get(events, {"stages", "3", "0", "taskList"}, {{"sortBy", order}, {"length", "1"}});
    return list.find(R"("taskId":1)") != std::string::npos ? 1 : 0;
  };
  EXPECT_EQ(first("runtime"), 1);
  EXPECT_EQ(first("increasing_runtime"), 1);
  EXPECT_EQ(first("decreasing_runtime"), 0);
  EXPECT_EQ(first("id"), 0);
  EXPECT_EQ(Get(events, {"stages", "3", "0", "taskList"}, {{"sortBy", "size"}}).substr(0, 3), "404");
}

TEST_F(SchedulerEventsTest, QuantilesOverExecutorsAreThoseOfTheirSums) {
  std::vector<std::string> events = WithTask({});
  const TaskEnds second{.id = 1, .index = 1};
  events.insert(events.end(), {Start(second), End(second)});
  ExpectHas(Get(events, {"stages", "3", "0"}, {{"withSummaries", "true"}, {"quantiles", "0.5"}}),
            {R"("executorMetricsDistributions":{"quantiles":[0.5],"taskTime":[800.0],"failedTasks":[0.0],)"
             R"("succeededTasks":[2.0])",
             R"("inputBytes":[200.0],"inputRecords":[6.0])", R"("shuffleRead":[30.0])", R"("shuffleWrite":[40.0])"});
}

}  // namespace
}  // namespace sparkprof
