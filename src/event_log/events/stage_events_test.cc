// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "event_log/events/event_handlers.h"
#include "event_log/testing/read_events.h"

namespace sparkprof {
namespace {

constexpr std::string_view kJobStart =
    R"({"Event":"SparkListenerJobStart","Job ID":3,"Submission Time":1000,"Stage IDs":[8,7,6],"Stage Infos":[)"
    R"({"Stage ID":7,"Stage Attempt ID":0,"Stage Name":"map at A:1","Number of Tasks":2,"Parent IDs":[6],"Details":"A.a"},)"
    R"({"Stage ID":8,"Stage Attempt ID":0,"Stage Name":"count at A:2","Number of Tasks":1,"Parent IDs":[7]},)"
    R"({"Stage ID":6,"Stage Attempt ID":0,"Stage Name":"map at A:0","Number of Tasks":1,"Parent IDs":[]}],)"
    R"("Properties":{"spark.sql.execution.id":"5","spark.jobGroup.id":"g","spark.job.description":"d","callSite.short":"c"}})";
constexpr std::string_view kSubmitted7 =
    R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":7,"Stage Attempt ID":0,"Submission Time":1100}})";
constexpr std::string_view kCompleted7 =
    R"({"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":7,"Stage Attempt ID":0,"Submission Time":1100,)"
    R"("Completion Time":1200}})";
constexpr std::string_view kJobEnd =
    R"({"Event":"SparkListenerJobEnd","Job ID":3,"Completion Time":2000,"Job Result":{"Result":"JobSucceeded"}})";

const Stage& StageOf(const Application& application, int64_t id, int64_t attempt) {
  for (const Stage& stage : application.stages) {
    if (stage.id == id && stage.attempt == attempt) return stage;
  }
  ADD_FAILURE() << "no stage " << id << "." << attempt;
  return application.stages.front();
}

TEST(StageEventsTest, AJobHasItsStagesAndIsNamedAfterItsResultStage) {
  const Application application = ReadEvents({kJobStart, kJobEnd});
  ASSERT_EQ(application.jobs.size(), 1u);
  const Job& job = application.jobs[0];
  EXPECT_EQ(job.id, 3);
  EXPECT_EQ(job.name, "count at A:2");
  EXPECT_EQ(job.stages, (std::vector<int64_t>{8, 7, 6}));
  EXPECT_EQ(job.sql_execution, 5);
  EXPECT_EQ(job.group, "g");
  EXPECT_EQ(job.description, "d");
  EXPECT_EQ(job.call_site, "c");
  EXPECT_EQ(job.submit_ns, 1'000'000'000);
  EXPECT_EQ(job.end_ns, 2'000'000'000);
  EXPECT_EQ(job.status, RunStatus::kSucceeded);
}

TEST(StageEventsTest, AStageHasTheTaskMetricsOfItsEngine) {
  const Application application = ReadEvents(
      {kJobStart, kSubmitted7,
       R"({"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":7,"Stage Attempt ID":0,"Accumulables":[)"
       R"({"ID":1,"Name":"gpuTime","Value":"00:02:24.878"},{"ID":2,"Name":"gpuRetryCount","Value":"12"},)"
       R"({"ID":3,"Name":"gpuRetryBlockTime","Value":"02:24.878"},{"ID":4,"Name":"number of rows","Value":"7"}]}})"});
  const std::vector<std::pair<std::string, int64_t>> expected = {{"gpuTime", 144'878'000'000}, {"gpuRetryCount", 12}};
  EXPECT_EQ(StageOf(application, 7, 0).engine_metrics, expected) << "a time of another layout is unknown";
}

TEST(StageEventsTest, StagesThatWereNotNeededAreSkippedOnceTheJobHasEnded) {
  const Application open = ReadEvents({kJobStart, kSubmitted7, kCompleted7});
  EXPECT_EQ(StageOf(open, 6, 0).status, RunStatus::kPending);
  EXPECT_EQ(StageOf(open, 7, 0).status, RunStatus::kSucceeded);
  EXPECT_EQ(StageOf(open, 8, 0).status, RunStatus::kPending);
  EXPECT_EQ(open.jobs[0].status, RunStatus::kRunning);

  const Application ended = ReadEvents({kJobStart, kSubmitted7, kCompleted7, kJobEnd});
  EXPECT_EQ(StageOf(ended, 6, 0).status, RunStatus::kSkipped);
  EXPECT_EQ(StageOf(ended, 7, 0).status, RunStatus::kSucceeded);
  EXPECT_EQ(StageOf(ended, 6, 0).submit_ns, 0);
}

TEST(StageEventsTest, AStageHasItsPlanTimesJobAndSqlExecution) {
  const Application application = ReadEvents({kJobStart, kSubmitted7, kCompleted7});
  const Stage& stage = StageOf(application, 7, 0);
  EXPECT_EQ(stage.name, "map at A:1");
  EXPECT_EQ(stage.details, "A.a");
  EXPECT_EQ(stage.task_count, 2);
  EXPECT_EQ(stage.parents, std::vector<int64_t>{6});
  EXPECT_EQ(stage.submit_ns, 1'100'000'000);
  EXPECT_EQ(stage.end_ns, 1'200'000'000);
  EXPECT_EQ(stage.job, 3);
  EXPECT_EQ(stage.sql_execution, 5);
}

TEST(StageEventsTest, StagesOfAJobAreThoseOfBothLists) {
  const Application application = ReadEvents(
      {R"({"Event":"SparkListenerJobStart","Job ID":0,"Stage IDs":[4,"x",-1],"Stage Infos":[{"Stage ID":4},7,{"Stage ID":5},{}]})"});
  ASSERT_EQ(application.jobs.size(), 1u);
  EXPECT_EQ(application.jobs[0].stages, (std::vector<int64_t>{4, 5}));
  EXPECT_EQ(application.stages.size(), 2u);
  EXPECT_EQ(StageOf(application, 5, 0).job, 0);
  EXPECT_EQ(StageOf(application, 5, 0).name, "stage 5");
  EXPECT_EQ(application.jobs[0].sql_execution, -1);
}

TEST(StageEventsTest, AFailedAttemptAndItsRetryAreTwoStagesOfOneJob) {
  const Application application = ReadEvents(
      {kJobStart, kSubmitted7,
       R"({"Event":"SparkListenerStageCompleted","Stage Info":{"Stage ID":7,"Stage Attempt ID":0,"Completion Time":1150,)"
       R"("Failure Reason":"fetch failed"}})",
       R"({"Event":"SparkListenerStageSubmitted","Stage Info":{"Stage ID":7,"Stage Attempt ID":1,"Stage Name":"again",)"
       R"("Submission Time":1160}})"});
  EXPECT_EQ(StageOf(application, 7, 0).status, RunStatus::kFailed);
  EXPECT_EQ(StageOf(application, 7, 0).failure, "fetch failed");
  EXPECT_EQ(StageOf(application, 7, 1).status, RunStatus::kRunning);
  EXPECT_EQ(StageOf(application, 7, 1).job, 3);
}

TEST(StageEventsTest, AStageBelongsToTheFirstJobThatNeededIt) {
  const Application application =
      ReadEvents({kJobStart, kSubmitted7, kCompleted7, kJobEnd,
                  R"({"Event":"SparkListenerJobStart","Job ID":4,"Stage IDs":[7,9],"Stage Infos":[)"
                  R"({"Stage ID":9,"Stage Attempt ID":0,"Stage Name":"n"}]})"});
  EXPECT_EQ(StageOf(application, 7, 0).job, 3);
  EXPECT_EQ(StageOf(application, 7, 0).status, RunStatus::kSucceeded);
  EXPECT_EQ(StageOf(application, 9, 0).job, 4);
}

TEST(StageEventsTest, AFailedJobSaysWhy) {
  const Application application =
      ReadEvents({kJobStart, R"({"Event":"SparkListenerJobEnd","Job ID":3,"Completion Time":2000,"Job Result":)"
                             R"({"Result":"JobFailed","Exception":{"Message":"boom","Stack Trace":[]}}})"});
  EXPECT_EQ(application.jobs[0].status, RunStatus::kFailed);
  EXPECT_EQ(application.jobs[0].failure, "boom");
}

TEST(StageEventsTest, AStageThatOnlyItsTasksTellOfIsNamedByItsId) {
  const Application application =
      ReadEvents({R"({"Event":"SparkListenerTaskStart","Stage ID":4,"Task Info":{"Task ID":1,"Launch Time":1}})"});
  ASSERT_EQ(application.stages.size(), 1u);
  EXPECT_EQ(application.stages[0].name, "stage 4");
  EXPECT_EQ(application.stages[0].status, RunStatus::kRunning);
}

std::string Submitted(int64_t stage, std::string_view rdds) {
  return fmt::format(
      R"({{"Event":"SparkListenerStageSubmitted","Stage Info":{{"Stage ID":{},"Stage Attempt ID":0,"RDD Info":[{}]}}}})",
      stage, rdds);
}

TEST(StageEventsTest, AStageThatReadsGroupsHasTheirCall) {
  constexpr std::string_view kRows = R"({"RDD ID":1,"Name":"MapPartitionsRDD","Callsite":"map at Job.scala:5"})";
  const std::string groups =
      std::string(kRows) + R"(,{"RDD ID":2,"Name":"ShuffledRDD","Callsite":"groupByKey at Job.scala:6"})";
  EXPECT_EQ(ReadEvents({Submitted(7, groups)}).stages[0].grouped_by, "groupByKey at Job.scala:6");
  EXPECT_EQ(ReadEvents({Submitted(7, kRows)}).stages[0].grouped_by, "");
}

TEST(StageEventsTest, RddsThatSeveralStagesComputeAreShared) {
  constexpr std::string_view kSource =
      R"({"RDD ID":1,"Name":"sales.csv","Storage Level":{"Use Disk":false,"Use Memory":false}})";
  constexpr std::string_view kKept =
      R"({"RDD ID":1,"Name":"sales.csv","Storage Level":{"Use Disk":false,"Use Memory":false}},)"
      R"({"RDD ID":5,"Name":"kept","Storage Level":{"Use Disk":false,"Use Memory":true}})";
  const std::string first = Submitted(7, kSource), second = Submitted(8, kSource), kept = Submitted(9, kKept);
  EXPECT_TRUE(ReadEvents({first}).shared_rdds.empty());
  const Application application = ReadEvents({first, second, kept});
  ASSERT_EQ(application.shared_rdds.size(), 1u);
  EXPECT_EQ(application.shared_rdds[0].id, 1);
  EXPECT_EQ(application.shared_rdds[0].name, "sales.csv");
  EXPECT_EQ(application.shared_rdds[0].stages, (std::vector<int64_t>{7, 8})) << "without those that read a kept RDD";
}

}  // namespace
}  // namespace sparkprof
