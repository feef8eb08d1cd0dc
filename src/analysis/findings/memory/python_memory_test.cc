// SPDX-License-Identifier: Apache-2.0
// python-memory, and lines of Python in oom, from allocation samples.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kMebibyte = 1 << 20;
constexpr int64_t kWorker = 4711, kProgram = 17;

class PythonMemoryTest : public StageFindingTest {
 protected:
  PythonMemoryTest() {
    application().profile.bucket_ns = kNanosPerSecond;
    remember_ = builder_.AddStack({Python("main", "/opt/spark/python/lib/pyspark.zip/pyspark/worker.py", 1800),
                                   Python("remember", "/home/me/job.py", 5)});
    load_ = builder_.AddStack({Python("load", "/home/me/job.py", 9), Python("read", "/usr/lib/python3/json.py", 3)});
  }

  // Three consecutive tasks of 10 s.
  void AddTasks() {
    for (int64_t tid = 1; tid <= 3; ++tid) {
      const auto begin = static_cast<double>(tid * 10);
      builder_.AddTask(tid, stage_, executor_, begin, begin + 9);
    }
  }

  void Add(Event event, int64_t second, int64_t task, StackId stack, int64_t mebibytes, int64_t pid = kWorker) {
    const auto [thread, is_new] = threads_.try_emplace(pid);
    if (is_new) {
      thread->second = builder_.AddThread(pid, "Python", executor_);
      application().profile.threads[thread->second].process = pid;
    }
    builder_.AddSample(event, second, thread->second, task, stack, mebibytes * kMebibyte);
    application().python_samples.push_back(application().profile.samples.back());
    application().profile.samples.pop_back();
  }

  // Resident memory of the JVM and the worker.
  void AddResident(int64_t second, int64_t jvm, int64_t worker) {
    const auto add = [&](const char* role, const char* name, int64_t mebibytes) {
      application().processes.push_back({{.pid = kWorker, .start_ticks = kWorker, .role = role}, executor_});
      const auto process = static_cast<int32_t>(application().processes.size()) - 1;
      const auto bytes = static_cast<double>(mebibytes * kMebibyte);
      application().series.push_back({name,
                                      executor_,
                                      process,
                                      SeriesKind::kGauge,
                                      {{ApplicationBuilder::Time(static_cast<double>(second)), bytes}}});
    };
    add("jvm", "process.rss_bytes", jvm);
    add("python_worker", "process.rss_bytes", worker);
  }

  void AddProgram() { application().processes.push_back({{.pid = kProgram, .role = "python_driver"}, executor_}); }

  void AddPandasFunction(double rows) {
    SqlExecution& sql = application().sql_executions.emplace_back();
    sql.id = 5;
    sql.plan = {.name = "ArrowEvalPython", .metrics = {Rows(rows)}, .stages = {3}};
    sql.plan.children = {{.name = "Range", .metrics = {Rows(rows)}, .stages = {3}}};
    stage().sql_execution = 5;
  }

  StackId remember_, load_;
  std::map<int64_t, uint32_t> threads_;  // by process
};

TEST_F(PythonMemoryTest, ALineThatKeepsMemoryFromTaskToTaskIsNamed) {
  AddTasks();
  for (int64_t task = 1; task <= 3; ++task) Add(Event::kPythonAlloc, task * 10 + 1, task, remember_, 32);
  Add(Event::kPythonAlloc, 12, 1, load_, 8);
  AddResident(30, 500, 200);
  stage().name = "collect at job.py:7";
  for (size_t row = 0; row < 3; ++row) tasks().Column(TaskMetric::kInputRecords)[row] = 1024;
  const Finding finding = Found("python-memory");
  EXPECT_EQ(finding.title, "remember (job.py:5) keeps 96.0 MiB in Python workers from task to task");
  EXPECT_EQ(finding.what,
            "After 32.0 s, the Python workers of executor 1 held 104 MiB of Python objects and NumPy arrays, 96.0 MiB "
            "of it allocated by remember (job.py:5), 64.0 MiB for 2 tasks that had ended, 32.0 MiB each; about 32.0 "
            "KiB per row");
  EXPECT_EQ(Weighed(finding),
            "medium, saves no known time; pylive of 1; 48.0% of the 200 MiB of resident memory of these workers; 8.0 "
            "MiB held by load (job.py:9)");
  EXPECT_EQ(finding.frames, (std::vector<std::string>{"remember (job.py:5)", "load (job.py:9)"}));
  EXPECT_EQ(finding.stages, std::vector<int64_t>{3});
  EXPECT_TRUE(finding.change.starts_with("Keep nothing in global variables")) << finding.change;
  EXPECT_TRUE(finding.example) << "lru_cache";
  application().python_samples[0].weight -= 1;
  EXPECT_FALSE(Finds("python-memory"));
}

TEST_F(PythonMemoryTest, TasksOfOneWorkerFollowOneAnotherWithinASecond) {
  for (int64_t tid = 1; tid <= 3; ++tid) {
    const double begin = 11 + static_cast<double>(tid) * 0.2;
    builder_.AddTask(tid, stage_, executor_, begin, begin + 0.1);
    Add(Event::kPythonAlloc, 11, tid, remember_, 32);
  }
  EXPECT_EQ(Found("python-memory").title, "remember (job.py:5) keeps 96.0 MiB in Python workers from task to task");
}

TEST_F(PythonMemoryTest, WhatEachOfTwoWorkersLoadsOnceDoesNotGrow) {
  AddTasks();
  Add(Event::kPythonAlloc, 11, 1, load_, 100);
  Add(Event::kPythonAlloc, 21, 2, load_, 100, kWorker + 1);
  EXPECT_FALSE(Finds("python-memory"));
}

TEST_F(PythonMemoryTest, WhatIsFreedInTimeIsNotHeld) {
  AddTasks();
  for (int64_t task = 1; task <= 3; ++task) {
    Add(Event::kPythonAlloc, task * 10 + 1, task, remember_, 200);
    Add(Event::kPythonFree, task * 10 + 2, task, remember_, 200);
  }
  EXPECT_FALSE(Finds("python-memory"));
}

TEST_F(PythonMemoryTest, AFunctionThatHoldsMuchForABatchGetsASmallerOne) {
  AddTasks();
  AddPandasFunction(60'000);
  Add(Event::kPythonAlloc, 21, 2, remember_, 256);
  Add(Event::kPythonFree, 22, 2, remember_, 256);
  AddResident(21, 500, 1024);
  const Finding finding = Found("python-memory");
  EXPECT_EQ(finding.title, "remember (job.py:5) holds 256 MiB in Python workers");
  EXPECT_TRUE(finding.what.ends_with("allocated by remember (job.py:5); about 26.2 KiB per row of a batch"))
      << finding.what;
  EXPECT_NE(finding.change.find("iterator UDF"), std::string::npos) << finding.change;
  ASSERT_EQ(finding.settings.size(), 1U) << finding.change;
  EXPECT_EQ(finding.settings[0].name, "spark.sql.execution.arrow.maxRecordsPerBatch");
  EXPECT_EQ(finding.settings[0].after, "2000") << "52 MiB";
  application().python_samples[0].weight -= 1;
  EXPECT_FALSE(Finds("python-memory"));
  application().python_samples[0].weight += 1;
  application().series.back().points[0].value += kMebibyte;
  EXPECT_FALSE(Finds("python-memory")) << "less than a quarter of the workers' memory";
}

TEST_F(PythonMemoryTest, NearTheLimitOfAContainerTheOverheadIsComputed) {
  application().master = "yarn";
  Set({{"spark.executor.memory", "1g"}, {"spark.executor.pyspark.memory", "512m"}});
  AddTasks();
  Add(Event::kPythonAlloc, 11, 1, remember_, 600);
  AddResident(12, 1200, 700);
  const Finding finding = Found("python-memory");
  ASSERT_EQ(finding.settings.size(), 2U) << finding.change;
  EXPECT_EQ(finding.settings[0].name, "spark.executor.memoryOverhead");
  EXPECT_EQ(finding.settings[0].after, "1024m") << "1900 MiB and 15 percent, without 1 GiB and 512 MiB";
  EXPECT_EQ(finding.settings[1].name, "spark.executor.pyspark.memory");
  EXPECT_EQ(finding.settings[1].after, "1536m") << "half as much again as 700 MiB";
  EXPECT_EQ(finding.risk, 0.05);
}

TEST_F(PythonMemoryTest, AGrowingWorkerIsEvidenceOfTheLineThatHoldsItsMemory) {
  AddTasks();
  for (int64_t task = 1; task <= 3; ++task) {
    Add(Event::kPythonAlloc, task * 10 + 1, task, remember_, 100);
    Add(Event::kCpu, task * 10 + 1, task, remember_, 1'000);
  }
  AddResident(10, 500, 50);
  application().series.back().points.push_back({ApplicationBuilder::Time(32), 350.0 * kMebibyte});
  const Finding finding = Found("python-memory");
  EXPECT_NE(finding.evidence.find("symptom: 1 Python worker grows by up to 300 MiB"), std::string::npos)
      << finding.evidence;
  EXPECT_FALSE(Finds("worker-growth"));
  for (Sample& sample : application().python_samples) sample.weight /= 100;
  EXPECT_TRUE(Finds("worker-growth")) << "something else made it grow";
}

TEST_F(PythonMemoryTest, AContainerThatDiedOfItsMemoryNamesTheLineThatHeldMost) {
  AddTasks();
  tasks().outcome[1] = TaskOutcome::kFailed;
  tasks().reason[1] = application().profile.strings.Intern("MemoryError: Unable to allocate 90 MiB");
  Add(Event::kPythonAlloc, 5, kNoTask, load_, 400);
  Add(Event::kPythonFree, 6, kNoTask, load_, 400);
  Add(Event::kPythonAlloc, 28, 2, remember_, 90);
  Add(Event::kPythonAlloc, 28, 2, load_, 10);
  Add(Event::kPythonFree, 29, 2, remember_, 90);
  const Finding finding = Found("oom");
  EXPECT_NE(
      finding.evidence.find(
          "; its Python processes held 100 MiB of objects and NumPy arrays, 90.0 MiB of it by remember (job.py:5)"),
      std::string::npos)
      << finding.evidence;
  EXPECT_EQ(finding.frames, std::vector<std::string>{"remember (job.py:5)"});
  EXPECT_EQ(finding.selection.event, "pylive");
}

TEST_F(PythonMemoryTest, ALineOfTheDriversProgramIsAFindingOfItsOwn) {
  AddTasks();
  AddProgram();
  Add(Event::kPythonAlloc, 11, kNoTask, load_, 300, kProgram);
  for (int64_t task = 1; task <= 3; ++task) Add(Event::kPythonAlloc, task * 10 + 1, task, remember_, 32);
  const std::vector<Finding> all = Answer(application()).findings;
  EXPECT_EQ(std::count_if(all.begin(), all.end(), [](const Finding& one) { return one.rule == "python-memory"; }), 2);
  const Finding finding = Found("python-memory-driver");
  EXPECT_EQ(finding.title, "load (job.py:9) holds 300 MiB in the driver's Python program");
  EXPECT_EQ(finding.what,
            "After 12.0 s, the driver's Python program held 300 MiB of Python objects and NumPy arrays, 300 MiB of it "
            "allocated by load (job.py:9)");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"load (job.py:9)"});
  EXPECT_TRUE(finding.change.starts_with("Drop what the program no longer needs (del). Leave the rows"))
      << finding.change;
  application().python_samples[0].weight = 255 * kMebibyte;
  EXPECT_FALSE(Finds("python-memory-driver"));
  EXPECT_TRUE(Finds("python-memory")) << "of the workers";
}

TEST_F(PythonMemoryTest, AProgramThatRanOutOfMemoryNamesTheLineThatHeldMost) {
  AddTasks();
  AddProgram();
  const std::string text = "Python process 17: the driver's program ended: MemoryError";
  application().notices.push_back({executor_, {ApplicationBuilder::Time(29), NoticeLevel::kWarning, text}});
  Add(Event::kPythonAlloc, 27, 3, remember_, 10);
  Add(Event::kPythonAlloc, 28, kNoTask, load_, 90, kProgram);
  const Finding finding = Found("oom");
  EXPECT_EQ(finding.title, "Out of memory: reported by the driver's Python program");
  EXPECT_NE(finding.evidence.find("; the driver's Python program held 90.0 MiB of objects and NumPy arrays, 90.0 MiB "
                                  "of it by load (job.py:9)"),
            std::string::npos)
      << finding.evidence;
  EXPECT_EQ(finding.frames, std::vector<std::string>{"load (job.py:9)"});
  EXPECT_TRUE(finding.change.starts_with("Leave the rows in the executors")) << finding.change;
  EXPECT_TRUE(finding.settings.empty()) << "those of workers do not help";
}

}  // namespace
}  // namespace sparkprof
