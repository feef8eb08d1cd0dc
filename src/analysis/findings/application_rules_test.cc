// SPDX-License-Identifier: Apache-2.0
// Rules for the whole application: oom, exploding-join, small-files, repeated logs; and large-result.
#include <gtest/gtest.h>

#include <utility>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;
constexpr int64_t kMebibyte = int64_t{1} << 20;

class ApplicationRulesTest : public StageFindingTest {
 protected:
  ApplicationRulesTest() : StageFindingTest(4), task_(builder_.AddTask(1, stage_, executor_, 0, 50, 50)) {}

  // A join of two ranges in stage 3.
  void AddJoin(double rows_each, double rows_out) {
    const PlanNode sort{.name = "Sort", .children = {{.name = "Range", .metrics = {Rows(rows_each)}}}};
    SqlExecution sql;
    sql.id = 5;
    sql.description = "collect at job.py:9";
    sql.plan = {.name = "SortMergeJoin",
                .text = "SortMergeJoin [id#0L], [id#2L], Inner",
                .metrics = {Rows(rows_out)},
                .stages = {3},
                .children = {sort, sort}};
    application().sql_executions = {sql};
  }

  void AddScan(double files, double bytes) {
    SqlExecution sql;
    sql.id = 5;
    sql.plan = {.name = "Scan csv",
                .metrics = {Count("number of files read", files), Size("size of files read", bytes)},
                .stages = {3}};
    application().sql_executions = {sql};
  }

  const size_t task_;
};

TEST_F(ApplicationRulesTest, ATaskWithoutMemoryIsAFailure) {
  tasks().outcome[task_] = TaskOutcome::kFailed;
  tasks().reason[task_] =
      application().profile.strings.Intern("java.lang.OutOfMemoryError: Java heap space\n\tat Job.map");
  const Answers answers = Answer(application());
  ASSERT_FALSE(answers.findings.empty());
  const Finding& finding = answers.findings.front();
  EXPECT_EQ(finding.rule, "oom");
  EXPECT_EQ(finding.title, "Out of memory: reported by task 1 of stage 3");
  EXPECT_EQ(finding.what, "The Java heap was full: java.lang.OutOfMemoryError: Java heap space");
  EXPECT_EQ(finding.selection.tasks, std::vector<int64_t>{1});
}

TEST_F(ApplicationRulesTest, AContainerThatWasKilledAdvisesMoreOverhead) {
  application().executors[0].remove_reason = "Container killed by YARN for exceeding memory limits. 5.5 GB used";
  application().executors[0].remove_ns = ApplicationBuilder::Time(40);
  const Finding finding = Found("oom");
  EXPECT_EQ(Weighed(finding),
            "high, saves no known time; alloc; reported by executor 1; symptom: Executor 1 was lost: the "
            "processes of the container held more memory than its limit, so YARN killed it");
  EXPECT_NE(finding.change.find("memoryOverhead"), std::string::npos);
  application().executors[0].remove_reason = "Executor heartbeat timed out";
  EXPECT_FALSE(Finds("oom"));
}

TEST_F(ApplicationRulesTest, RecordsWithoutTasksShowGcOfATenthOfAJvmsTime) {
  application().tasks = {};
  application().series.push_back({"jvm.gc_time_ns",
                                  executor_,
                                  -1,
                                  SeriesKind::kCounter,
                                  {{ApplicationBuilder::Time(0), 0}, {ApplicationBuilder::Time(50), 5e9}}});
  const Finding finding = Found("gc");
  EXPECT_EQ(Weighed(finding), "low, saves 2.5 s (1.0 s to 6.2 s); alloc; series of the time in collections");
  EXPECT_EQ(finding.title, "GC takes 10.0% of a JVM's time");
  application().series[0].points[1].value -= 1;
  EXPECT_FALSE(Finds("gc"));
}

TEST_F(ApplicationRulesTest, TenCollectionsPerSecondAreManyFromThreeHundredthsOfTheTimeOn) {
  tasks().Column(TaskMetric::kExecutorRunTime)[task_] = 0;
  const auto add = [&](const char* name, double value) {
    application().series.push_back({name,
                                    executor_,
                                    -1,
                                    SeriesKind::kCounter,
                                    {{ApplicationBuilder::Time(0), 0}, {ApplicationBuilder::Time(50), value}}});
  };
  add("jvm.gc_young_time_ns", 1.5e9);
  add("jvm.gc_young_count", 500);
  EXPECT_EQ(Found("gc").evidence, "500 collections, 10.0 per second");
  application().series[1].points[1].value -= 1;
  EXPECT_FALSE(Finds("gc"));
}

// Records of PySpark's profiler: workers in one line of code, and their CPU usage.
class PythonRecordsTest : public ApplicationRulesTest {
 protected:
  void AddRecords(const char* function, double cpu_percent) {
    tasks().Column(TaskMetric::kExecutorRunTime)[task_] = 0;
    Process worker;
    worker.role = "python_worker";
    application().processes.push_back({worker, executor_});
    if (cpu_percent >= 0) {
      application().series.push_back(
          {"process.cpu_percent",
           executor_,
           0,
           SeriesKind::kGauge,
           {{ApplicationBuilder::Time(1), cpu_percent}, {ApplicationBuilder::Time(41), cpu_percent}}});
    }
    const uint32_t thread = builder_.AddThread(300, "Python workers, RDD 8", executor_);
    const StackId stack =
        builder_.AddStack({builder_.AddFrame(function, FrameKind::kPython, "/home/me/helper.py", 44)});
    builder_.AddSample(Event::kWall, 3, thread, kNoTask, stack, 40 * kSecond);
  }
};

TEST_F(PythonRecordsTest, WorkersThatUseATenthOfACoreSleep) {
  AddRecords("call", 10);
  const Finding finding = Found("sleep");
  EXPECT_EQ(Weighed(finding), "high, saves 50.0 s (35.0 s to 62.5 s); wall; Waits in call (helper.py:44)");
  EXPECT_EQ(finding.title, "Python workers use 10.0% of a core: they sleep or wait");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"call (helper.py:44)"});
  application().series[0].points[0].value += 0.1;
  EXPECT_FALSE(Finds("sleep"));
}

TEST_F(PythonRecordsTest, WithoutCpuUseAFunctionCalledSleepSleeps) {
  AddRecords("secondsSleep", -1);
  EXPECT_EQ(Found("sleep").frames, std::vector<std::string>{"secondsSleep (helper.py:44)"});
}

TEST_F(PythonRecordsTest, WithoutCpuUseAnyOtherFunctionMayCompute) {
  AddRecords("score", -1);
  EXPECT_FALSE(Finds("sleep"));
}

TEST_F(ApplicationRulesTest, TaskThreadsOfRecordsThatSleepAreNamedWithTheirLine) {
  tasks().Column(TaskMetric::kExecutorRunTime)[task_] = 0;
  const uint32_t thread = builder_.AddThread(300, "Executor task launch worker for task 9", executor_);
  const StackId sleep = builder_.AddStack({"com.example.Slacker.call", "java.lang.Thread.sleep"});
  const StackId work = builder_.AddStack({"com.example.Slacker.call"});
  builder_.AddSample(Event::kWall, 3, thread, kNoTask, sleep, 10 * kSecond);
  builder_.AddSample(Event::kWall, 3, thread, kNoTask, work, 10 * kSecond);
  const Finding finding = Found("sleep");
  EXPECT_EQ(
      Weighed(finding),
      "high, saves 25.0 s (17.5 s to 31.2 s); wall; Waits in java.lang.Thread.sleep below com.example.Slacker.call");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"java.lang.Thread.sleep below com.example.Slacker.call"});
  application().profile.samples[1].weight += 1;
  EXPECT_FALSE(Finds("sleep"));
}

TEST_F(ApplicationRulesTest, AJvmThatDiedInCollectionsRanOutOfMemory) {
  AddJobBetween(0, 10, 90);
  application().jobs[0].status = RunStatus::kFailed;
  application().series.push_back({"jvm.gc_time_ns",
                                  executor_,
                                  -1,
                                  SeriesKind::kCounter,
                                  {{ApplicationBuilder::Time(80), 1e9}, {ApplicationBuilder::Time(90), 6e9}}});
  EXPECT_TRUE(Finds("oom"));
  application().series[0].points[1].value -= 1;
  EXPECT_FALSE(Finds("oom"));
  application().series[0].points[1].value += 1;
  application().jobs[0].status = RunStatus::kSucceeded;
  EXPECT_FALSE(Finds("oom"));
}

TEST_F(ApplicationRulesTest, AStageThatFillsTheHeapWithItsCacheIsAdvisedToCacheLess) {
  tasks().outcome[task_] = TaskOutcome::kFailed;
  tasks().reason[task_] = application().profile.strings.Intern("java.lang.OutOfMemoryError: Java heap space");
  tasks().Column(TaskMetric::kGcTime)[task_] = 20 * kSecond;
  EXPECT_NE(Found("oom").evidence.find("symptom: GC takes 40.0% of task time"), std::string::npos)
      << Found("oom").evidence;
  EXPECT_FALSE(Finds("gc"));
  EXPECT_EQ(Found("oom").change.find("DISK_ONLY"), std::string::npos) << Found("oom").change;
  CachedRdd& cached = application().cached_rdds.emplace_back();
  cached.stages = {3};
  EXPECT_NE(Found("oom").change.find("DISK_ONLY"), std::string::npos) << Found("oom").change;
}

TEST_F(ApplicationRulesTest, ADriverProgramThatGrowsBy128MebibytesFetchesTooMuch) {
  Process driver;
  driver.role = "python_driver";
  driver.pid = 77;
  application().processes.push_back({driver, executor_});
  application().series.push_back(
      {"process.rss_bytes",
       executor_,
       0,
       SeriesKind::kGauge,
       {{ApplicationBuilder::Time(1), 100.0 * kMebibyte}, {ApplicationBuilder::Time(50), 228.0 * kMebibyte}}});
  const uint32_t thread = builder_.AddThread(77, "Python 77", executor_);
  application().profile.threads[thread].process = 77;
  const StackId stack = builder_.AddStack(
      {builder_.AddFrame("load", FrameKind::kPython, "/home/me/spike.py", 30),
       builder_.AddFrame("receive", FrameKind::kPython, "/venv/lib/python3.11/site-packages/py4j/java_gateway.py", 7)});
  builder_.AddSample(Event::kCpu, 3, thread, kNoTask, stack, kSecond);
  application().python_samples = std::exchange(application().profile.samples, {});
  const Finding finding = Found("large-result");
  EXPECT_EQ(
      Weighed(finding),
      "low, saves 1.6 s (800 ms to 2.5 s); cpu of driver; 1.0 s of CPU time to receive and decode the data, most of it "
      "in load (spike.py:30), through receive (java_gateway.py:7); no job runs then: it is in a gap of 100.0 s");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"load (spike.py:30)"});
  application().series[0].points[1].value -= 1;
  EXPECT_FALSE(Finds("large-result"));
}

TEST_F(ApplicationRulesTest, TheLineOfPythonThatWaitsForAStageIsNamedIfSparkHasNone) {
  Process driver;
  driver.role = "python_driver";
  driver.pid = 77;
  application().processes.push_back({driver, executor_});
  const uint32_t thread = builder_.AddThread(77, "Python 77", executor_);
  application().profile.threads[thread].process = 77;
  Stage& stage = application().stages[0];
  stage.name = "parquet at NativeMethodAccessorImpl.java:0";
  stage.submit_ns = ApplicationBuilder::Time(0);
  stage.end_ns = ApplicationBuilder::Time(50);
  const auto wait_in = [&](int64_t second, uint32_t line) {
    const StackId stack =
        builder_.AddStack({builder_.AddFrame("<module>", FrameKind::kPython, "/home/me/job.py", line),
                           builder_.AddFrame("parquet", FrameKind::kPython,
                                             "/opt/spark/python/lib/pyspark.zip/pyspark/sql/readwriter.py", 7)});
    builder_.AddSample(Event::kWall, second, thread, kNoTask, stack, kSecond);
  };
  wait_in(3, 12);
  wait_in(60, 13);
  wait_in(61, 13);
  application().python_samples = std::exchange(application().profile.samples, {});
  const Finding finding = Found("few-partitions");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"<module> (job.py:12)"});
}

TEST_F(ApplicationRulesTest, AKilledContainerNamesTheProcessesThatMadeUpItsMemory) {
  const auto add = [&](int64_t pid, const char* role, double bytes, double end) {
    application().processes.push_back({{.pid = pid, .start_ticks = pid, .role = role}, executor_});
    const auto row = static_cast<int32_t>(application().processes.size()) - 1;
    application().series.push_back({"process.rss_bytes",
                                    executor_,
                                    row,
                                    SeriesKind::kGauge,
                                    {{ApplicationBuilder::Time(1), 1}, {ApplicationBuilder::Time(end), bytes}}});
  };
  add(17, "jvm", 800.0 * kMebibyte, 49);
  add(23, "python_worker", 300.0 * kMebibyte, 49.5);
  application().series.back().points.push_back({ApplicationBuilder::Time(49.7), 0});  // being killed
  add(24, "python_worker", 900.0 * kMebibyte, 20);                                    // ended long before the kill
  tasks().outcome[task_] = TaskOutcome::kFailed;
  tasks().reason[task_] = application().profile.strings.Intern(
      "ExecutorLostFailure (executor 1 exited): Container killed by YARN for exceeding physical memory limits");
  const Finding finding = Found("oom");
  EXPECT_EQ(Weighed(finding),
            "high, saves no known time; alloc of stage 3; reported by task 1 of stage 3; at the end its processes held "
            "1.1 GiB: jvm_executor 800 MiB (process 17), python_worker 300 MiB (process 23); symptom: 100.0% of task "
            "attempts failed and ran again: ExecutorLostFailure (executor 1 exited): Container killed by YARN for "
            "exceeding physical memory limits");
  EXPECT_NE(finding.evidence.find("at the end its processes held 1.1 GiB: jvm_executor 800 MiB (process 17), "
                                  "python_worker 300 MiB (process 23)"),
            std::string::npos)
      << finding.evidence;
}

TEST_F(ApplicationRulesTest, AStageThatSpillsNeedsAsManyPartitionsAsItsDataHasTimesTheMemory) {
  const auto set = [&](TaskMetric metric, int64_t mebibytes) { tasks().Column(metric)[task_] = mebibytes * kMebibyte; };
  set(TaskMetric::kDiskSpilled, 100);
  set(TaskMetric::kMemorySpilled, 300);
  set(TaskMetric::kPeakExecutionMemory, 40);
  EXPECT_NE(Found("spill").change.find("Use more partitions to reduce"), std::string::npos) << Found("spill").change;
  set(TaskMetric::kShuffleReadBytes, 200);
  EXPECT_NE(Found("spill").change.find("Use about 9 partitions instead of 1 to reduce"), std::string::npos)
      << Found("spill").change;
}

TEST_F(ApplicationRulesTest, AJoinThatReturnsEightTimesItsRowsExplodes) {
  AddJoin(100'000, 2'000'000);
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(Weighed(finding),
            "high, saves 36.0 s (18.0 s to 56.2 s); cpu; SortMergeJoin [id#0L], [id#2L], Inner; its stages take 50.0 "
            "s; symptom: 1 task for 4 cores");
  EXPECT_EQ(finding.title, "A join returns 10 times the rows it reads");
  EXPECT_TRUE(finding.change.starts_with("Find the values of the join key with most rows")) << finding.change;
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(36));
  EXPECT_EQ(finding.stages, std::vector<int64_t>{3});
  AddJoin(100'000, 1'599'999);
  EXPECT_FALSE(Finds("exploding-join"));
  AddJoin(10, 999'999);
  EXPECT_FALSE(Finds("exploding-join"));
}

TEST_F(ApplicationRulesTest, AJoinWithoutAKeyThatComparesTenMillionPairsIsNamedWithThem) {
  AddJoin(4'000, 4'000);
  application().sql_executions[0].plan.name = "BroadcastNestedLoopJoin BuildRight Inner";
  const Finding finding = Found("exploding-join");
  EXPECT_EQ(finding.title, "A join without a key compares 16,000,000 pairs of rows and returns 4,000");
  EXPECT_EQ(finding.stages, std::vector<int64_t>{3});
  application().sql_executions[0].plan.name = "SortMergeJoin";
  EXPECT_FALSE(Finds("exploding-join"));
  AddJoin(3'162, 10);  // 9,998,244 pairs
  application().sql_executions[0].plan.name = "CartesianProduct";
  EXPECT_FALSE(Finds("exploding-join"));
  AddJoin(3'163, 10);
  application().sql_executions[0].plan.name = "CartesianProduct";
  EXPECT_TRUE(Finds("exploding-join"));
}

TEST_F(ApplicationRulesTest, FiveHundredFilesBelowFourMebibytesAreSmall) {
  AddScan(500, 500.0 * static_cast<double>(4 * kMebibyte - 1));
  const Finding finding = Found("small-files");
  EXPECT_EQ(Weighed(finding),
            "low, saves 356 ns (178 ns to 557 ns); cpu; its stages take 50.0 s, a part of it to open files; listing "
            "them took 0 ns");
  EXPECT_NE(finding.change.find("about 15 files"), std::string::npos) << finding.change;
  AddScan(499, 499);
  EXPECT_FALSE(Finds("small-files"));
  AddScan(500, 500.0 * static_cast<double>(4 * kMebibyte));
  EXPECT_FALSE(Finds("small-files"));
}

TEST_F(ApplicationRulesTest, AJobThatCompactsSmallFilesHasToReadThem) {
  AddScan(500, 500);
  PlanNode& plan = application().sql_executions[0].plan;
  plan.metrics.push_back(Rows(1000));
  PlanNode write{.name = "Execute InsertIntoHadoopFsRelationCommand"};
  write.metrics = {Count("number of written files", 50), {"number of output rows", "sum", 10, true, 900}};
  write.children = {plan};
  plan = std::move(write);
  EXPECT_FALSE(Finds("small-files"));
  plan.metrics[1].value = 899;
  EXPECT_TRUE(Finds("small-files")) << "the query does more than copying rows";
}

TEST_F(ApplicationRulesTest, ResultsFrom32MebibytesOnAreLarge) {
  tasks().Column(TaskMetric::kResultSize)[task_] = 32 * kMebibyte;
  const Finding finding = Found("large-result");
  EXPECT_EQ(Weighed(finding),
            "low, saves no known time; cpu of driver; 0 ns to serialize and fetch the results; the driver "
            "was busy for 0 ns after the job; largest result of a task 32.0 MiB");
  EXPECT_EQ(finding.title, "Stage 3: the driver collects 32.0 MiB");
  tasks().Column(TaskMetric::kResultSize)[task_] = 32 * kMebibyte - 1;
  EXPECT_FALSE(Finds("large-result"));
}

TEST_F(ApplicationRulesTest, AMessageAboutLoadingThatIsRepeatedIsAnInitialization) {
  LogTemplate message;
  message.text = "Loading a dictionary of <*> words";
  message.count = 20;
  message.first_ns = ApplicationBuilder::Time(10);
  message.last_ns = ApplicationBuilder::Time(30);
  application().logs.templates = {{}, message};
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(Weighed(finding), "medium, saves 10.0 s (4.0 s to 25.0 s); cpu; from the first to the last: 20.0 s");
  EXPECT_EQ(finding.title, "The logs repeat an initialization 20 times");
  application().logs.templates[1].count = 19;
  EXPECT_FALSE(Finds("repeated-init"));
  application().logs.templates[1].count = 1000;
  application().logs.templates[1].text = "Computing row <*>";
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(ApplicationRulesTest, AdviceForAStageHasOneNumberOfPartitions) {
  const auto set = [&](TaskMetric metric, int64_t mebibytes) { tasks().Column(metric)[task_] = mebibytes * kMebibyte; };
  set(TaskMetric::kDiskSpilled, 100);
  set(TaskMetric::kMemorySpilled, 300);
  set(TaskMetric::kPeakExecutionMemory, 100);
  set(TaskMetric::kShuffleReadBytes, 128 * 80);
  EXPECT_NE(Found("spill").change.find("about 80 partitions"), std::string::npos) << Found("spill").change;
  EXPECT_NE(Found("few-partitions").change.find("at least 80 partitions"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
