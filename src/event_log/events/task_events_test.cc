// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "event_log/testing/read_events.h"

namespace sparkprof {
namespace {

constexpr std::string_view kTaskStart =
    R"({"Event":"SparkListenerTaskStart","Stage ID":2,"Stage Attempt ID":1,"Task Info":{"Task ID":9,"Index":4,"Attempt":1,)"
    R"("Partition ID":6,"Launch Time":1000,"Executor ID":"3","Host":"h","Locality":"NODE_LOCAL","Speculative":true,)"
    R"("Getting Result Time":0,"Finish Time":0,"Failed":false,"Killed":false,"Accumulables":[]}})";

// The end of task 9 with a reason, flags, accumulables and metrics.
std::string TaskEnd(const std::string& reason, const std::string& flags, const std::string& accumulables,
                    const std::string& metrics) {
  return R"({"Event":"SparkListenerTaskEnd","Stage ID":2,"Stage Attempt ID":1,"Task Type":"ResultTask","Task End Reason":)" +
         reason +
         R"(,"Task Info":{"Task ID":9,"Index":4,"Attempt":1,"Launch Time":1000,"Executor ID":"3","Host":"h",)"
         R"("Locality":"NODE_LOCAL","Speculative":true,"Getting Result Time":1900,"Finish Time":2000,)" +
         flags + R"(,"Accumulables":[)" + accumulables + R"(]},"Task Metrics":)" + metrics + "}";
}

std::string SucceededTask(const std::string& accumulables, const std::string& metrics) {
  return TaskEnd(R"({"Reason":"Success"})", R"("Failed":false,"Killed":false)", accumulables, metrics);
}

int64_t Metric(const Application& application, TaskMetric metric) { return application.tasks.Column(metric).at(0); }

TEST(TaskEventsTest, AStartedTaskRuns) {
  const Application application = ReadEvents({kTaskStart});
  const Tasks& tasks = application.tasks;
  ASSERT_EQ(tasks.Size(), 1u);
  EXPECT_EQ(tasks.id[0], 9);
  EXPECT_EQ(tasks.stage[0], 0);
  EXPECT_EQ(application.stages[0].id, 2);
  EXPECT_EQ(application.stages[0].attempt, 1);
  EXPECT_EQ(tasks.index[0], 4);
  EXPECT_EQ(tasks.partition[0], 6);
  EXPECT_EQ(tasks.attempt[0], 1);
  EXPECT_EQ(application.executors.at(static_cast<size_t>(tasks.executor[0])).id, "3");
  EXPECT_EQ(application.executors[0].host, "h");
  EXPECT_EQ(tasks.launch_ns[0], 1'000'000'000);
  EXPECT_EQ(tasks.finish_ns[0], 0);
  EXPECT_EQ(tasks.outcome[0], TaskOutcome::kRunning);
  EXPECT_EQ(tasks.speculative[0], 1);
  EXPECT_EQ(tasks.locality[0], 1);
}

TEST(TaskEventsTest, AllMetricsComeInTheirUnits) {
  const Application application = ReadEvents(
      {kTaskStart,
       SucceededTask("",
                     R"({"Executor Deserialize Time":10,"Executor Deserialize CPU Time":11,"Executor Run Time":500,)"
                     R"("Executor CPU Time":13,"Peak Execution Memory":14,"Result Size":15,"JVM GC Time":16,)"
                     R"("Result Serialization Time":17,"Memory Bytes Spilled":18,"Disk Bytes Spilled":19,)"
                     R"("Shuffle Read Metrics":{"Remote Blocks Fetched":1,"Fetch Wait Time":20,"Remote Bytes Read":21,)"
                     R"("Remote Bytes Read To Disk":99,"Local Bytes Read":22,"Total Records Read":23},)"
                     R"("Shuffle Write Metrics":{"Shuffle Bytes Written":24,"Shuffle Write Time":25,)"
                     R"("Shuffle Records Written":26},"Input Metrics":{"Bytes Read":27,"Records Read":28},)"
                     R"("Output Metrics":{"Bytes Written":29,"Records Written":30},"Updated Blocks":[]})")});
  ASSERT_EQ(application.tasks.Size(), 1u);
  EXPECT_EQ(application.tasks.outcome[0], TaskOutcome::kSucceeded);
  EXPECT_EQ(application.tasks.partition[0], 6);
  EXPECT_EQ(Metric(application, TaskMetric::kDuration), 1'000'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kDeserializeTime), 10'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kDeserializeCpuTime), 11);
  EXPECT_EQ(Metric(application, TaskMetric::kExecutorRunTime), 500'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kExecutorCpuTime), 13);
  EXPECT_EQ(Metric(application, TaskMetric::kPeakExecutionMemory), 14);
  EXPECT_EQ(Metric(application, TaskMetric::kResultSize), 15);
  EXPECT_EQ(Metric(application, TaskMetric::kGcTime), 16'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kResultSerializationTime), 17'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kGettingResultTime), 100'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kSchedulerDelay), (1000 - 10 - 500 - 17 - 100) * 1'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kMemorySpilled), 18);
  EXPECT_EQ(Metric(application, TaskMetric::kDiskSpilled), 19);
  EXPECT_EQ(Metric(application, TaskMetric::kShuffleFetchWait), 20'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kShuffleReadBytes), 43);
  EXPECT_EQ(Metric(application, TaskMetric::kShuffleReadRecords), 23);
  EXPECT_EQ(Metric(application, TaskMetric::kShuffleWriteBytes), 24);
  EXPECT_EQ(Metric(application, TaskMetric::kShuffleWriteTime), 25);
  EXPECT_EQ(Metric(application, TaskMetric::kShuffleWriteRecords), 26);
  EXPECT_EQ(Metric(application, TaskMetric::kInputBytes), 27);
  EXPECT_EQ(Metric(application, TaskMetric::kInputRecords), 28);
  EXPECT_EQ(Metric(application, TaskMetric::kOutputBytes), 29);
  EXPECT_EQ(Metric(application, TaskMetric::kOutputRecords), 30);
}

TEST(TaskEventsTest, MetricsMayComeInAnyOrderAndInPart) {
  const Application application = ReadEvents(
      {SucceededTask("", R"({"Output Metrics":null,"JVM GC Time":16,"New Metric":{"x":1},"Executor Run Time":5})")});
  EXPECT_EQ(Metric(application, TaskMetric::kGcTime), 16'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kExecutorRunTime), 5'000'000);
}

TEST(TaskEventsTest, TheSchedulerDelayIsNeverNegative) {
  const Application application = ReadEvents({SucceededTask("", R"({"Executor Run Time":5000})")});
  EXPECT_EQ(Metric(application, TaskMetric::kSchedulerDelay), 0);
}

TEST(TaskEventsTest, BeforeSpark3ThePeakMemoryIsAnAccumulator) {
  const Application application = ReadEvents({SucceededTask(
      R"({"ID":1,"Name":"internal.metrics.peakExecutionMemory","Update":77,"Value":99})", R"({"Result Size":1})")});
  EXPECT_EQ(Metric(application, TaskMetric::kPeakExecutionMemory), 77);
}

TEST(TaskEventsTest, ThePeakMemoryIsReadFromItsAccumulatorAlone) {
  const auto peak = [](const std::string& accumulables) {
    return Metric(ReadEvents({SucceededTask(accumulables, R"({"Result Size":1})")}), TaskMetric::kPeakExecutionMemory);
  };
  EXPECT_EQ(peak(R"({"ID":1,"Name":"rows","Update":5},{"ID":2,"Name":"peakExecutionMemory","Update":"78"})"), 78);
  EXPECT_EQ(peak(R"({"ID":1,"Name":"internal.metrics.peakExecutionMemory","Value":99})"), 0);
  EXPECT_EQ(peak(R"({"ID":1,"Name":"peakExecutionMemory","Update":-3})"), 0);
  EXPECT_EQ(peak(R"({"ID":1,"Name":"peakExecutionMemory","Update":"much"})"), 0);
  EXPECT_EQ(peak(R"(7,{"ID":1,"Name":"rows","Update":5})"), 0);
}

TEST(TaskEventsTest, ATaskWithoutMetricsHasItsDuration) {
  const Application application =
      ReadEvents({TaskEnd(R"({"Reason":"UnknownReason"})", R"("Failed":true,"Killed":false)", "", "null")});
  EXPECT_EQ(application.tasks.outcome[0], TaskOutcome::kFailed);
  EXPECT_EQ(Metric(application, TaskMetric::kDuration), 1'000'000'000);
  EXPECT_EQ(Metric(application, TaskMetric::kSchedulerDelay), 0);
}

TEST(TaskEventsTest, FailedAndKilledTasksSayWhy) {
  struct Case {
    const char* reason;
    const char* flags;
    TaskOutcome outcome;
    const char* text;
  };
  const Case cases[] = {
      {R"({"Reason":"ExceptionFailure","Class Name":"E","Description":"d","Full Stack Trace":"E: d\n\tat x"})",
       R"("Failed":true,"Killed":false)", TaskOutcome::kFailed, "E: d\n\tat x"},
      {R"({"Reason":"ExceptionFailure","Class Name":"E","Description":"d"})", R"("Failed":true)", TaskOutcome::kFailed,
       "E: d"},
      {R"({"Reason":"FetchFailed","Block Manager Address":{"Executor ID":"1","Host":"h","Port":7337},"Shuffle ID":2,"Map ID":3,)"
       R"("Reduce ID":4,"Message":"gone"})",
       R"("Failed":true)", TaskOutcome::kFailed,
       "FetchFailed(BlockManagerId(1, h, 7337, None), shuffleId=2, mapIndex=Unknown, mapId=3, reduceId=4, "
       "message=\ngone\n)"},
      {R"({"Reason":"ExecutorLostFailure","Executor ID":"1","Exit Caused By App":true,"Loss Reason":"OOM"})",
       R"("Failed":true)", TaskOutcome::kFailed,
       "ExecutorLostFailure (executor 1 exited caused by one of the running tasks) Reason: OOM"},
      {R"({"Reason":"TaskKilled","Kill Reason":"another attempt succeeded"})", R"("Failed":false,"Killed":true)",
       TaskOutcome::kKilled, "another attempt succeeded"},
      {R"({"Reason":"TaskCommitDenied","Job ID":1,"Partition ID":2,"Attempt Number":3})", R"("Failed":true)",
       TaskOutcome::kKilled, "TaskCommitDenied (Driver denied task commit) for job: 1, partition: 2, attemptNumber: 3"},
      {R"({"Reason":"TaskKilled"})", R"("Killed":true)", TaskOutcome::kKilled, "unknown reason"},
      {R"({"Reason":"ReasonOfALaterSpark"})", R"("Failed":true)", TaskOutcome::kFailed, "ReasonOfALaterSpark"},
      {R"({"Reason":"ExecutorLostFailure","Executor ID":"7","Exit Caused By App":false,"Loss Reason":"preempted"})",
       R"("Failed":true)", TaskOutcome::kFailed,
       "ExecutorLostFailure (executor 7 exited unrelated to the running tasks) Reason: preempted"},
      {R"({"Reason":"TaskResultLost"})", R"("Failed":true)", TaskOutcome::kFailed,
       "TaskResultLost (result lost from block manager)"},
  };
  for (const Case& one : cases) {
    const Application application = ReadEvents({kTaskStart, TaskEnd(one.reason, one.flags, "", "{}")});
    EXPECT_EQ(application.tasks.outcome[0], one.outcome) << one.reason;
    EXPECT_EQ(application.profile.strings.Get(application.tasks.reason[0]), one.text);
  }
}

TEST(TaskEventsTest, ALongReasonIsCutBetweenCharacters) {
  std::string description;
  while (description.size() < 20'000) description += "\xC3\xA4";  // ä
  const Application application = ReadEvents({TaskEnd(
      R"({"Reason":"ExceptionFailure","Full Stack Trace":"x)" + description + R"("})", R"("Failed":true)", "", "{}")});
  const std::string_view text = application.profile.strings.Get(application.tasks.reason[0]);
  EXPECT_LE(text.size(), 8192u);
  EXPECT_EQ(text.back(), '\xA4');
}

TEST(TaskEventsTest, ATaskThatIsResubmittedBecauseItsOutputWasLostStaysSucceeded) {
  const Application application =
      ReadEvents({SucceededTask("", R"({"Executor Run Time":5})"),
                  TaskEnd(R"({"Reason":"Resubmitted"})", R"("Failed":false,"Killed":false)", "", "null")});
  ASSERT_EQ(application.tasks.Size(), 1u);
  EXPECT_EQ(application.tasks.outcome[0], TaskOutcome::kSucceeded);
  EXPECT_EQ(Metric(application, TaskMetric::kExecutorRunTime), 5'000'000);
  EXPECT_EQ(application.damaged_events, 0);
  ASSERT_EQ(application.stages.size(), 1u);
  EXPECT_EQ(application.stages[0].resubmitted_tasks, 1);
}

}  // namespace
}  // namespace sparkprof
