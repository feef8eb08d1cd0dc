// SPDX-License-Identifier: Apache-2.0
// low-memory, and idle-executors for executors kept by dynamic allocation.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kMebibyte = int64_t{1} << 20;

class MemoryRulesTest : public StageFindingTest {
 protected:
  MemoryRulesTest() : task_(builder_.AddTask(1, stage_, executor_, 0, 50, 50)) {}

  void SetGc(double seconds) { tasks().Column(TaskMetric::kGcTime)[task_] = ApplicationBuilder::Nanos(seconds); }

  const size_t task_;
};

TEST_F(MemoryRulesTest, AFullHeapThatIsCollectedForATenthOfTheTimeIsTooSmall) {
  Set({{"spark.executor.memory", "2g"}});
  executor().peak_metrics = {{"JVMHeapMemory", 1844 * kMebibyte}};
  SetGc(5);
  const Finding finding = Found("low-memory");
  EXPECT_EQ(Weighed(finding), "medium, saves no known time; alloc of 1; peaks of the executors' heaps");
  EXPECT_EQ(finding.title, "The heap of executor 1 is too small: 90.0% full, and GC takes 10.0% of its tasks' time");
  EXPECT_NE(finding.change.find("spark.executor.memory=3072m"), std::string::npos) << finding.change;
  SetGc(4.9);
  EXPECT_FALSE(Finds("low-memory"));
  SetGc(5);
  executor().peak_metrics = {{"JVMHeapMemory", 1843 * kMebibyte}};
  EXPECT_FALSE(Finds("low-memory"));
}

TEST(GcAtStartTest, MuchGcOfAllTasksIsAFindingAlsoInTheFirstTasksOfExecutors) {
  ApplicationBuilder builder;
  const int32_t executor = builder.AddExecutor("1", 2);
  const int32_t stage = builder.AddStage(3, 0, 0);
  MetricColumn& gc = builder.application().tasks.Column(TaskMetric::kGcTime);
  for (int64_t tid = 0; tid < 8; ++tid) {
    const double begin = static_cast<double>(tid / 2) * 4;
    const size_t task = builder.AddTask(tid, stage, executor, begin, begin + 4, 4);
    if (tid < 2) gc[task] = ApplicationBuilder::Nanos(1.6);
  }
  const auto find = [&]() -> std::optional<Finding> {
    for (Finding& finding : Answer(builder.application()).findings) {
      if (finding.rule == "gc") return std::move(finding);
    }
    return std::nullopt;
  };
  const auto finding = find();
  ASSERT_TRUE(finding.has_value());
  EXPECT_EQ(finding->title, "GC takes 10.0% of the time of all tasks, mostly at the start of executors");
  EXPECT_EQ(finding->evidence, "GC time 3.2 s of 32.0 s task time");
  gc[0] = gc[0] - 1;
  EXPECT_FALSE(find().has_value());
}

TEST_F(MemoryRulesTest, ADriverBesideExecutorsHasAHeapOfItsOwn) {
  application().master = "yarn";
  const int32_t driver = builder_.AddExecutor("driver", 0);
  Set({{"spark.driver.memory", "2g"}});
  application().executors[static_cast<size_t>(driver)].peak_metrics = {{"JVMHeapMemory", 1844 * kMebibyte},
                                                                       {"TotalGCTime", 10'000}};
  const Finding finding = Found("low-memory");
  EXPECT_EQ(finding.title, "The heap of the driver is too small: 90.0% full, and GC takes 10.0% of its time");
  EXPECT_NE(finding.change.find("spark.driver.memory=3072m"), std::string::npos) << finding.change;
  application().executors[static_cast<size_t>(driver)].peak_metrics[1].second -= 1;
  EXPECT_FALSE(Finds("low-memory"));
}

TEST_F(MemoryRulesTest, InLocalModeTheHeapIsTheDrivers) {
  application().master = "local[2]";
  executor().id = "driver";
  Set({{"spark.driver.memory", "700M"}});
  executor().peak_metrics = {{"JVMHeapMemory", 690 * kMebibyte}};
  SetGc(10);
  const Finding finding = Found("low-memory");
  EXPECT_EQ(Weighed(finding), "medium, saves no known time; alloc of driver; peaks of the executors' heaps");
  EXPECT_NE(finding.change.find("spark.driver.memory=1536m"), std::string::npos) << finding.change;
  application().master = "spark://h:7077";
  EXPECT_FALSE(Finds("low-memory"));
}

TEST_F(MemoryRulesTest, AContainerThatIsAlmostFullNeedsMoreOverhead) {
  application().master = "yarn";
  Set({{"spark.executor.memory", "4g"}, {"spark.executor.memoryOverhead", "1024"}});
  executor().peak_metrics = {{"ProcessTreeJVMRSSMemory", 4000 * kMebibyte},
                             {"ProcessTreePythonRSSMemory", 864 * kMebibyte}};
  const Finding finding = Found("low-memory");
  EXPECT_EQ(Weighed(finding), "medium, saves no known time; alloc of 1; resident memory of the executor's processes");
  EXPECT_EQ(finding.title, "Executor 1 is close to its memory limit: 4.8 GiB of 5.0 GiB");
  EXPECT_NE(finding.change.find("spark.executor.memoryOverhead=1536m (now 1.0 GiB)"), std::string::npos)
      << finding.change;
  executor().peak_metrics[1].second -= kMebibyte;
  EXPECT_FALSE(Finds("low-memory"));
  executor().peak_metrics[1].second += kMebibyte;
  application().master = "spark://h:7077";  // has no container
  EXPECT_FALSE(Finds("low-memory"));
}

TEST_F(MemoryRulesTest, TheProcessesOfARecordedContainerAddUpWhileTheyRun) {
  application().master = "yarn";
  Set({{"spark.executor.memory", "1g"}, {"spark.executor.memoryOverhead", "1g"}});
  const auto add = [&](double from, double to, double mebibytes) {
    Process process;
    process.role = "python_worker";
    application().processes.push_back({process, executor_});
    application().series.push_back({"process.rss_bytes",
                                    executor_,
                                    static_cast<int32_t>(application().processes.size()) - 1,
                                    SeriesKind::kGauge,
                                    {{ApplicationBuilder::Time(from), mebibytes * kMebibyte},
                                     {ApplicationBuilder::Time(to), mebibytes * kMebibyte}}});
  };
  add(10, 20, 1000);
  add(40, 50, 1000);  // after the first executor ended
  EXPECT_FALSE(Finds("low-memory"));
  add(41, 45, 1000);
  EXPECT_TRUE(Finds("low-memory"));
}

class IdleExecutorsTest : public MemoryRulesTest {
 protected:
  // Executor 1 works for 50 s; both exist for 1,000 s.
  IdleExecutorsTest() {
    builder_.AddExecutor("2", 2);
    application().end_ns = ApplicationBuilder::Time(1000);
  }
};

TEST_F(MemoryRulesTest, AContainerThatTheKernelKilledIsNamedWithTheCallPathThatHeldItsMemory) {
  Profile& profile = application().profile;
  const StackId stack =
      profile.stacks.Push(0, profile.frames.Intern({.name = profile.strings.Intern("Unsafe_AllocateMemory")}));
  profile.threads.push_back({.tid = 7, .name = "dag-scheduler-event-loop", .executor = executor_});
  profile.samples.push_back({.stack = stack,
                             .thread = static_cast<uint32_t>(profile.threads.size() - 1),
                             .event = profile.AddEvent(Event::kMalloc),
                             .weight = 700 * kMebibyte});
  application().settings = {{"nativemem.live", "true"}};
  application().processes.push_back({.process = {.role = "jvm"}, .executor = executor_});
  const auto add = [&](const char* name, std::vector<SeriesPoint> points) {
    application().series.push_back({.name = name, .executor = executor_, .process = 0, .points = std::move(points)});
  };
  add("process.rss_bytes", {{1, 800.0 * kMebibyte}});
  add("process.memory_limit_bytes", {{1, 1000.0 * kMebibyte}});
  add("process.memory_kills", {{1, 2}, {2, 2}});
  EXPECT_FALSE(Finds("oom")) << "killed before the job";
  application().series.back().points.back().value = 3;
  const Finding finding = Found("oom");
  EXPECT_EQ(finding.title, "Out of memory: reported by the control group of executor 1");
  EXPECT_NE(finding.what.find("the kernel killed a process at the limit of 1000 MiB"), std::string::npos)
      << finding.what;
  EXPECT_NE(finding.evidence.find("; 700 MiB of native memory in use, 700 MiB of it by scheduler and RPC: "),
            std::string::npos)
      << finding.evidence;
  EXPECT_NE(finding.evidence.find(": Unsafe_AllocateMemory"), std::string::npos) << finding.evidence;
  EXPECT_EQ(finding.selection.event, "malloc");
}

TEST_F(IdleExecutorsTest, ExecutorsThatDynamicAllocationKeepsWithoutTasksAreIdle) {
  Set({{"spark.dynamicAllocation.enabled", "true"}, {"spark.dynamicAllocation.minExecutors", "2"}});
  const Finding finding = Found("idle-executors");
  EXPECT_EQ(Weighed(finding),
            "low, saves no known time; cpu; 32.5 min of it after the last task of an executor; 1 executor "
            "never ran a task");
  EXPECT_EQ(finding.title, "Dynamic allocation keeps executors that run no task for 97.5% of their time");
  EXPECT_NE(finding.evidence.find("1 executor never ran a task"), std::string::npos) << finding.evidence;
  EXPECT_NE(finding.change.find("Lower spark.dynamicAllocation.minExecutors (now 2)"), std::string::npos)
      << finding.change;
  Set({});
  EXPECT_FALSE(Finds("idle-executors"));
}

TEST_F(IdleExecutorsTest, ALongIdleTimeoutIsNamed) {
  Set({{"spark.dynamicAllocation.enabled", "true"}, {"spark.dynamicAllocation.executorIdleTimeout", "20min"}});
  EXPECT_NE(Found("idle-executors").change.find("executorIdleTimeout=60s (now 20min)"), std::string::npos);
}

TEST_F(IdleExecutorsTest, AShortIdleTimeoutIsNotLowered) {
  Set({{"spark.dynamicAllocation.enabled", "true"}, {"spark.dynamicAllocation.executorIdleTimeout", "10s"}});
  EXPECT_FALSE(Finds("idle-executors"));
}

TEST_F(IdleExecutorsTest, ExecutorsThatAreRemovedInTimeAreNotIdle) {
  Set({{"spark.dynamicAllocation.enabled", "true"}});
  for (Executor& each : application().executors) each.remove_ns = ApplicationBuilder::Time(110);
  EXPECT_FALSE(Finds("idle-executors"));
}

TEST_F(MemoryRulesTest, AContainerWithoutSettingsHas384MebibytesOrATenthOfTheHeapMore) {
  application().master = "yarn";
  const auto fills = [&](int64_t mebibytes) {
    executor().peak_metrics = {{"ProcessTreeJVMRSSMemory", mebibytes * kMebibyte}};
    return Finds("low-memory");
  };
  EXPECT_TRUE(fills(1338));  // the container has 1,408 MiB
  EXPECT_FALSE(fills(1337));
  Set({{"spark.executor.memory", "8g"}});
  EXPECT_TRUE(fills(8561));  // the container has 9,011 MiB
  EXPECT_FALSE(fills(8560));
}

TEST_F(MemoryRulesTest, PythonAndOffHeapMemoryMakeTheContainerLarger) {
  application().master = "yarn";
  executor().peak_metrics = {{"ProcessTreeJVMRSSMemory", 1400 * kMebibyte}};
  const auto title = [&](std::vector<std::pair<std::string, std::string>> settings) {
    Set(std::move(settings));
    return Finds("low-memory") ? Found("low-memory").title : std::string();
  };
  EXPECT_EQ(title({}), "Executor 1 is close to its memory limit: 1.4 GiB of 1.4 GiB");
  EXPECT_EQ(title({{"spark.executor.pyspark.memory", "1g"}}), "");
  EXPECT_EQ(title({{"spark.memory.offHeap.enabled", "true"}, {"spark.memory.offHeap.size", "1g"}}), "");
  EXPECT_NE(title({{"spark.memory.offHeap.size", "1g"}}), "") << "it is not enabled";
}

TEST_F(MemoryRulesTest, LimitsThatAreNotKnownAreNotReached) {
  executor().peak_metrics = {{"ProcessTreeOtherRSSMemory", 4000 * kMebibyte}};
  application().master = "k8s://https://host";
  EXPECT_FALSE(Finds("low-memory")) << "the default depends on the program";
  Set({{"spark.executor.memoryOverhead", "1g"}});
  EXPECT_TRUE(Finds("low-memory"));
  executor().resource_profile = 1;
  EXPECT_FALSE(Finds("low-memory"));
  executor().resource_profile = 0;
}

TEST_F(MemoryRulesTest, AFactorOfThePlatformDecidesTheLimitOfAContainer) {
  application().master = "yarn";
  executor().peak_metrics = {{"ProcessTreeOtherRSSMemory", 10900 * kMebibyte}};
  Set({{"spark.executor.memory", "10g"}});
  EXPECT_NE(Found("low-memory").title.find("of 11.0 GiB"), std::string::npos) << Found("low-memory").title;
  // EMR
  Set({{"spark.executor.memory", "10g"}, {"spark.yarn.executor.memoryOverheadFactor", "0.1875"}});
  EXPECT_FALSE(Finds("low-memory")) << "10.6 of 11.9 GiB";
}

TEST_F(IdleExecutorsTest, IdleExecutorsMatterFromFiveMinutesOn) {
  Set({{"spark.dynamicAllocation.enabled", "true"}});
  for (Executor& each : application().executors) each.remove_ns = ApplicationBuilder::Time(175);
  EXPECT_TRUE(Finds("idle-executors"));
  application().executors[1].remove_ns -= 1;
  EXPECT_FALSE(Finds("idle-executors"));
}

TEST_F(IdleExecutorsTest, IdleExecutorsMatterFromFourTenthsOfTheirTimeOn) {
  Set({{"spark.dynamicAllocation.enabled", "true"}});
  builder_.AddTask(2, stage_, executor_, 50, 500, 450);
  Executor& busy = application().executors[0];
  Executor& idle = application().executors[1];
  busy.remove_ns = ApplicationBuilder::Time(500);
  idle.remove_ns = ApplicationBuilder::Time(334);
  EXPECT_EQ(Found("idle-executors").severity, Severity::kLow);
  idle.remove_ns = ApplicationBuilder::Time(333);
  EXPECT_FALSE(Finds("idle-executors"));
  busy.remove_ns = ApplicationBuilder::Time(1000);
  idle.remove_ns = ApplicationBuilder::Time(667);  // seven tenths
  EXPECT_EQ(Found("idle-executors").severity, Severity::kLow);
  idle.remove_ns = ApplicationBuilder::Time(666);
  EXPECT_EQ(Found("idle-executors").severity, Severity::kLow);
}

TEST_F(IdleExecutorsTest, WhatKeepsIdleExecutorsIsNamed) {
  const auto change = [&](std::vector<std::pair<std::string, std::string>> settings) {
    settings.emplace_back("spark.dynamicAllocation.enabled", "true");
    Set(std::move(settings));
    return Found("idle-executors").change;
  };
  EXPECT_EQ(change({}),
            "Lower spark.dynamicAllocation.executorIdleTimeout (now 60.0 s). This saves machines, not time");
  EXPECT_EQ(change({{"spark.dynamicAllocation.minExecutors", "1"}}), change({}));
  EXPECT_EQ(
      change({{"spark.dynamicAllocation.shuffleTracking.enabled", "true"}}),
      "Set spark.dynamicAllocation.shuffleTracking.timeout to limit how long executors are kept for their shuffle "
      "data (now without limit). This saves machines, not time");
  application().cached_rdds = {{.id = 7, .name = "events", .in_memory = true, .on_disk = false, .stages = {3}}};
  EXPECT_EQ(change({}),
            "Unpersist cached data that is no longer used, or set spark.dynamicAllocation.cachedExecutorIdleTimeout "
            "(now without limit). This saves machines, not time");
}

}  // namespace
}  // namespace sparkprof
