// SPDX-License-Identifier: Apache-2.0
#include "loader/application_loader.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/folder_test.h"
#include "loader/identity.h"
#include "recording/recordings.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'700'000'000 * kSecond;  // 2023-11-14 22:13:20 UTC

// One job with one stage of two tasks, as Spark writes it.
std::string EventLog(const std::string& id) {
  return R"({"Event":"SparkListenerLogStart","Spark Version":"3.5.1"}
{"Event":"SparkListenerApplicationStart","App Name":"etl","App ID":")" +
         id + R"(","Timestamp":1700000000000,"User":"me"}
{"Event":"SparkListenerExecutorAdded","Timestamp":1700000000100,"Executor ID":"1","Executor Info":{"Host":"h1","Total Cores":2}}
{"Event":"SparkListenerJobStart","Job ID":0,"Submission Time":1700000001000,"Stage IDs":[0],"Stage Infos":[{"Stage ID":0,"Stage Attempt ID":0,"Stage Name":"count at A.scala:2","Number of Tasks":2}]}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":0,"Index":0,"Attempt":0,"Launch Time":1700000002000,"Executor ID":"1","Host":"h1","Finish Time":1700000004000}}
{"Event":"SparkListenerTaskEnd","Stage ID":0,"Stage Attempt ID":0,"Task End Reason":{"Reason":"Success"},"Task Info":{"Task ID":1,"Index":1,"Attempt":0,"Launch Time":1700000002000,"Executor ID":"1","Host":"h1","Finish Time":1700000005000}}
{"Event":"SparkListenerJobEnd","Job ID":0,"Completion Time":1700000005100,"Job Result":{"Result":"JobSucceeded"}}
{"Event":"SparkListenerApplicationEnd","Timestamp":1700000006000}
)";
}

// The same job's driver log on a clock two hours ahead of UTC.
std::string DriverLog() {
  return "23/11/15 00:13:20 INFO SparkContext: Running Spark version 3.5.1\n"
         "23/11/15 00:13:20 INFO SparkContext: Submitted application: etl\n"
         "23/11/15 00:13:21 INFO DAGScheduler: Got job 0 (count at A.scala:2) with 2 output partitions\n"
         "23/11/15 00:13:21 INFO DAGScheduler: Final stage: ResultStage 0 (count at A.scala:2)\n"
         "23/11/15 00:13:21 INFO TaskSchedulerImpl: Adding task set 0.0 with 2 tasks resource profile 0\n"
         "23/11/15 00:13:22 INFO TaskSetManager: Starting task 0.0 in stage 0.0 (TID 0) (h1, executor 1, partition 0, "
         "ANY, 7 bytes) taskResourceAssignments Map()\n"
         "23/11/15 00:13:22 INFO TaskSetManager: Starting task 1.0 in stage 0.0 (TID 1) (h1, executor 1, partition 1, "
         "ANY, 7 bytes) taskResourceAssignments Map()\n"
         "23/11/15 00:13:24 WARN TaskSetManager: careful\n"
         "23/11/15 00:13:24 INFO TaskSetManager: Finished task 0.0 in stage 0.0 (TID 0) in 2000 ms on h1 (executor 1) "
         "(1/2)\n"
         "23/11/15 00:13:25 INFO TaskSetManager: Finished task 1.0 in stage 0.0 (TID 1) in 3000 ms on h1 (executor 1) "
         "(2/2)\n"
         "23/11/15 00:13:25 INFO DAGScheduler: Job 0 finished: count at A.scala:2, took 4.1 s\n"
         "23/11/15 00:13:26 INFO SparkContext: Successfully stopped SparkContext\n";
}

class EvidenceTest : public FolderTest {
 protected:
  ApplicationLoader Find(const LoaderOptions& options = {}) const {
    Result<ApplicationLoader> loader = ApplicationLoader::Find({folder_}, options);
    EXPECT_TRUE(loader.has_value()) << loader.error().message;
    return std::move(*loader);
  }

  Application ReadOnly(const LoaderOptions& options = {}) {
    ApplicationLoader loader = Find(options);
    EXPECT_EQ(loader.applications().size(), 1u);
    std::vector<Application> read = loader.Read(0, &outcomes_);
    EXPECT_EQ(read.size(), 1u);
    return std::move(read.front());
  }

  std::vector<InputOutcome> outcomes_;
};

TEST_F(EvidenceTest, LogsInTheEventLogsFolderAreItsApplicationsOnItsClock) {
  Write("app-20231114221320-0001", EventLog("app-20231114221320-0001"));
  Write("driver.log", DriverLog());
  const Application application = ReadOnly();
  EXPECT_EQ(application.id, "app-20231114221320-0001");
  EXPECT_EQ(application.tasks.Size(), 2u);
  ASSERT_GT(application.logs.Size(), 8u);
  EXPECT_EQ(application.logs.time_ns[0], kStart);
  EXPECT_EQ(application.jobs.size(), 1u);
  EXPECT_TRUE(application.complete);
}

TEST_F(EvidenceTest, ATextLogAloneTellsOfJobsStagesAndTasks) {
  Write("etl/driver.log", DriverLog());
  const Application application = ReadOnly({.zone = LogZone::Ahead(7'200 * kSecond)});
  EXPECT_EQ(application.name, "etl");
  ASSERT_EQ(application.tasks.Size(), 2u);
  EXPECT_EQ(application.tasks.launch_ns[0], kStart + 2 * kSecond);
  EXPECT_EQ(application.jobs.size(), 1u);
  EXPECT_EQ(application.stages.size(), 1u);
  EXPECT_TRUE(application.ended);
}

// The executor's log of the same tasks; `hour` is what its clock shows at the application's begin.
std::string ExecutorLog(const std::string& hour) {
  const std::string day = hour == "22" ? "23/11/14 " : "23/11/15 ";
  return day + hour + ":13:21.250 INFO CoarseGrainedExecutorBackend: Started daemon with process name: 7@h1\n" +  //
         day + hour + ":13:22.125 INFO Executor: Running task 0.0 in stage 0.0 (TID 0)\n" + day + hour +
         ":13:22.125 INFO Executor: Running task 1.0 in stage 0.0 (TID 1)\n" + day + hour +
         ":13:25.000 INFO Executor: Finished task 1.0 in stage 0.0 (TID 1). 10 bytes result sent\n";
}

std::vector<int64_t> FirstTimes(const Application& application) {
  std::vector<int64_t> times(application.logs.sources.size());
  for (size_t row = application.logs.Size(); row-- > 0;)
    times[application.logs.source[row]] = application.logs.time_ns[row];
  return times;
}

TEST_F(EvidenceTest, EachLogComesFromItsOwnZoneToTheEventLogsClock) {
  Write("app-20231114221320-0001", EventLog("app-20231114221320-0001"));
  Write("driver.log", DriverLog());
  Write("executor.log", ExecutorLog("22"));
  const Application application = ReadOnly();
  EXPECT_EQ(FirstTimes(application), (std::vector<int64_t>{kStart, kStart + 1'250'000'000}));
}

TEST_F(EvidenceTest, WithoutAnEventLogExecutorsLogsComeToTheDriversClock) {
  Write("driver.log", DriverLog());
  Write("executor.log", ExecutorLog("17"));
  const Application application = ReadOnly();
  const int64_t as_written = kStart + 7'200 * kSecond;
  EXPECT_EQ(FirstTimes(application), (std::vector<int64_t>{as_written, as_written + 1'250'000'000}));
  EXPECT_EQ(application.tasks.Size(), 2u);
}

TEST_F(EvidenceTest, WithoutLogRecordsTextLogsAreNotReadBesideAnEventLog) {
  Write("app-20231114221320-0001", EventLog("app-20231114221320-0001"));
  Write("driver.log", DriverLog());
  const Application application = ReadOnly({.log_records = false});
  EXPECT_EQ(application.tasks.Size(), 2u);
  EXPECT_EQ(application.logs.Size(), 0u);
  EXPECT_TRUE(std::any_of(outcomes_.begin(), outcomes_.end(), [](const auto& outcome) { return !outcome.is_used; }));
}

TEST_F(EvidenceTest, ApplicationsInOneTreeAreToldApart) {
  Write("a/events", EventLog("app-20231114221320-0001"));
  Write("b/events", EventLog("app-20231114221320-0002"));
  Write("b/driver.log", DriverLog());
  Write("c/driver.log", DriverLog());
  const ApplicationLoader loader = Find();
  ASSERT_EQ(loader.applications().size(), 3u);
  EXPECT_EQ(loader.applications()[0].text_logs.size(), 0u);
  EXPECT_EQ(loader.applications()[1].text_logs.size(), 1u);
  EXPECT_EQ(loader.applications()[2].id, "c");
  EXPECT_FALSE(loader.applications()[2].identified);
}

TEST_F(EvidenceTest, DriversOfOneFolderAreApplicationsOfTheirOwn) {
  Write("monday.log", DriverLog());
  Write("tuesday.log", DriverLog());
  const ApplicationLoader loader = Find();
  ASSERT_EQ(loader.applications().size(), 2u);
  EXPECT_EQ(loader.applications()[0].id, "monday.log");
  EXPECT_EQ(loader.applications()[1].id, "tuesday.log");
}

TEST_F(EvidenceTest, OfTwoCopiesOfAnEventLogOneIsRead) {
  Write("a/events", EventLog("app-20231114221320-0001"));
  Write("b/events", EventLog("app-20231114221320-0001").substr(0, 700));
  const Application application = ReadOnly();
  EXPECT_EQ(application.tasks.Size(), 2u);
  ASSERT_EQ(outcomes_.size(), 2u);
  EXPECT_NE(outcomes_[0].is_used, outcomes_[1].is_used);
}

TEST_F(EvidenceTest, ADriversLogAndItsExecutorsInAClustersFolderAreOneApplication) {
  Write("0101-cluster/driver/log4j-active.log", DriverLog());
  Write("0101-cluster/executor/app-20231114221320-0001/0/stderr", ExecutorLog("00"));
  Write("0202-cluster/driver/log4j-active.log", DriverLog());
  const ApplicationLoader loader = Find();
  ASSERT_EQ(loader.applications().size(), 2u);
  EXPECT_EQ(loader.applications()[0].id, "0202-cluster");
  EXPECT_EQ(loader.applications()[1].id, "app-20231114221320-0001");
  EXPECT_EQ(loader.applications()[1].text_logs.size(), 2u);
}

TEST_F(EvidenceTest, PodsWithNamesOfOneJobAreOneApplication) {
  const std::string uid = "_0f6ed7ac-1111-2222-3333-444455556666";
  Write("ns_etl-1f-driver" + uid + "/spark-kubernetes-driver/0.log", DriverLog());
  Write("ns_etl-1f-exec-1" + uid + "/spark-kubernetes-executor/0.log", ExecutorLog("00"));
  Write("ns_other-2e-driver" + uid + "/spark-kubernetes-driver/0.log", DriverLog());
  const ApplicationLoader loader = Find();
  ASSERT_EQ(loader.applications().size(), 2u);
  EXPECT_EQ(loader.applications()[0].id, "etl-1f");
  EXPECT_EQ(loader.applications()[0].text_logs.size(), 2u);
  EXPECT_EQ(loader.applications()[1].id, "other-2e");
}

TEST_F(EvidenceTest, RecordsOfAProfilerBelongToTheApplicationBesideThem) {
  Write("events", EventLog("app-20231114221320-0001"));
  Write(
      "CpuAndMemory.json",
      R"({"epochMillis":1700000003000,"name":"77@h1","host":"h1","processUuid":"u","appId":"app-20231114221320-0001","heapMemoryTotalUsed":1048576.0,"processCpuLoad":0.5})"
      "\n"
      R"({"epochMillis":1700000004000,"name":"77@h1","host":"h1","processUuid":"u","appId":"app-20231114221320-0001","heapMemoryTotalUsed":2097152.0,"processCpuLoad":0.25})"
      "\n");
  Write(
      "Stacktrace.json",
      R"({"stacktrace":["com.example.Job.map","java.lang.Thread.run"],"endEpoch":1700000004000,"appId":"app-20231114221320-0001","host":"h1","name":"77@h1","processUuid":"u","threadState":"RUNNABLE","count":10,"startEpoch":1700000002000,"threadName":"Executor task launch worker for task 1"})"
      "\n");
  const Application application = ReadOnly();
  const auto heap = std::find_if(application.series.begin(), application.series.end(),
                                 [](const ApplicationSeries& one) { return one.name == "jvm.heap_used_bytes"; });
  ASSERT_NE(heap, application.series.end());
  EXPECT_EQ(heap->points.size(), 2u);
  ASSERT_GE(heap->executor, 0);
  EXPECT_EQ(application.executors[static_cast<size_t>(heap->executor)].id, "1");
  int64_t weight = 0, count = 0;
  for (const Sample& sample : application.profile.samples) {
    weight += sample.weight;
    count += sample.count;
    EXPECT_EQ(sample.event, application.profile.Row(Event::kWall));
    EXPECT_EQ(application.profile.tasks[sample.task].task, 1);
  }
  EXPECT_EQ(weight, 2 * kSecond);  // the time that the report covers
  EXPECT_EQ(count, 10);
}

TEST_F(EvidenceTest, ARecordingAndItsEventLogAreOneApplication) {
  Write("events", EventLog("app-20231114221320-0001"));
  Application application = ReadOnly();
  std::string bytes;
  WriteRecording(application, [&](std::string_view block) { bytes += block; });
  Write("made.sprof", bytes);
  const Application both = ReadOnly();
  EXPECT_EQ(both.tasks.Size(), 2u);
  EXPECT_EQ(both.jobs.size(), 1u);
  EXPECT_EQ(both.executors.size(), application.executors.size());
}

TEST_F(EvidenceTest, LogsThatAreReadAheadKeepTheirOrderAndEachItsOwnProblem) {
  // Several blocks each, and two that end at once.
  constexpr int kFiles = 6, kRecords = 30'000;
  for (int file = 0; file < kFiles; ++file) {
    std::string log;
    for (int record = 0; record < (file % 3 == 1 ? 1 : kRecords); ++record)
      log += "23/11/14 22:13:20 INFO F" + std::to_string(file) + ": " + std::string(40, 'x') + "\n";
    if (file == 2) log += std::string(3 << 20, 'y') + "\n23/11/14 22:13:21 INFO F2: last\n";
    Write("log" + std::to_string(file) + ".log", log);
  }
  LoaderOptions options;
  options.event_logs.lines.max_line_bytes = 1 << 20;
  const Application application = ReadOnly(options);
  ASSERT_EQ(application.logs.sources.size(), static_cast<size_t>(kFiles));
  ASSERT_EQ(outcomes_.size(), static_cast<size_t>(kFiles));
  ASSERT_EQ(application.logs.Size(), 4u * kRecords + 2 + 2);
  size_t row = 0;
  for (uint32_t file = 0; file < kFiles; ++file) {
    EXPECT_EQ(outcomes_[file].problem.empty(), file != 2) << outcomes_[file].problem;
    const std::string record = "23/11/14 22:13:20 INFO F" + std::to_string(file) + ": " + std::string(40, 'x');
    for (int64_t line = 1; row < application.logs.Size() && application.logs.source[row] == file; ++row, ++line) {
      ASSERT_EQ(application.logs.line[row], line);
      if (line <= kRecords) {
        ASSERT_EQ(application.logs.Text(row), record);
      }
    }
  }
  EXPECT_EQ(row, application.logs.Size());
}

TEST(IdentityTest, FindsTheIdsThatSparkMakes) {
  EXPECT_EQ(FindApplicationId("Submitted application application_1603128018386_7846 to"),
            "application_1603128018386_7846");
  EXPECT_EQ(FindApplicationId("with app ID app-20190214152544-0001."), "app-20190214152544-0001");
  EXPECT_EQ(FindApplicationId("file:/tmp/local-1532512550423.inprogress"), "local-1532512550423");
  EXPECT_EQ(FindApplicationId("spark-195580588c0f4597ade9c93018b4e67f"), "spark-195580588c0f4597ade9c93018b4e67f");
  EXPECT_EQ(FindApplicationId("local-host, app-1, spark-core_2.12, my-local-1532512550423"), "");
}

TEST(IdentityTest, AContainersAttemptIsANumber) {
  EXPECT_EQ(AttemptOfContainer("container_e17_1603128018386_7846_02_000001"), "2");
  EXPECT_EQ(AttemptOfContainer("container_1603128018386_7846_01_000001"), "1");
  EXPECT_EQ(AttemptOfContainer("my-pod-exec-1"), "");
}

}  // namespace
}  // namespace sparkprof
