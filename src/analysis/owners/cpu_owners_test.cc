// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/cpu_owners.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "analysis/owners/sample_owners.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

class CpuOwnersTest : public testing::Test {
 protected:
  CpuOwnersTest() {
    application_.executors = {{.id = "driver"}, {.id = "1"}};
    application_.profile.AddEvent(Event::kCpu);
  }

  void Sampled(const char* thread, int32_t executor, int64_t second, int64_t cpu_ns, uint32_t task = 0) {
    application_.profile.threads.push_back({.name = thread, .executor = executor});
    application_.profile.samples.push_back({.thread = static_cast<uint32_t>(application_.profile.threads.size() - 1),
                                            .task = task,
                                            .category = task == 0 ? Category::kNone : Category::kTask,
                                            .time_ns = second * kSecond,
                                            .weight = cpu_ns});
  }

  void UsedByProcess(const char* role, double at_first, double at_last) {
    application_.processes.push_back({.process = {.role = role}, .executor = 0});
    application_.series.push_back({.name = "process.cpu_ns",
                                   .executor = 0,
                                   .process = static_cast<int32_t>(application_.processes.size() - 1),
                                   .kind = SeriesKind::kCounter,
                                   .points = {{1, at_first}, {2, at_last}}});
  }

  void UsedByThreads(const char* name, double cpu_ns) {
    application_.series.push_back({.name = std::string("thread.") + name + ".cpu_ns",
                                   .executor = 0,
                                   .process = 0,
                                   .kind = SeriesKind::kCounter,
                                   .points = {{2, cpu_ns}}});
  }

  void EndedTask(int64_t id, int32_t stage, int64_t cpu_ns, int64_t deserialize_ns, int64_t serialization_ns) {
    Tasks& tasks = application_.tasks;
    const size_t row = tasks.Append(id);
    tasks.stage[row] = stage;
    tasks.executor[row] = 0;
    tasks.Column(TaskMetric::kExecutorCpuTime)[row] = cpu_ns;
    tasks.Column(TaskMetric::kDeserializeCpuTime)[row] = deserialize_ns;
    tasks.Column(TaskMetric::kResultSerializationTime)[row] = serialization_ns;
  }

  std::map<std::string, int64_t> Owners() {
    std::map<std::string, int64_t> owners;
    for (const CpuOwner& owner : OwnersOfCpu(application_).owners)
      owners[std::string(OwnerKindName(owner.kind)) + ": " + owner.name] = owner.cpu_ns;
    return owners;
  }

  Application application_;
};

TEST_F(CpuOwnersTest, EachSampleHasOneOwner) {
  application_.profile.tasks.push_back({.task = 7, .stage = 3, .stage_attempt = 0});
  application_.sql_executions = {{.id = 2, .start_ns = 10 * kSecond, .end_ns = 20 * kSecond}};
  Sampled("Executor task launch worker-0", 1, 5, 100, 1);
  Sampled("Thread-4", 0, 5, 10);
  Sampled("Thread-4", 0, 15, 20);
  Sampled("GC Thread#1", 1, 5, 3);
  Sampled("C2 CompilerThre", 1, 5, 4);
  Sampled("spark-listener-group-appStatus", 0, 5, 5);
  Sampled("sparkprof-events", 0, 5, 6);
  Sampled("pool-12-thread-3", 1, 5, 7);
  EXPECT_EQ(Owners(), (std::map<std::string, int64_t>{{"task: stage 3.0", 100},
                                                      {"driver: driver program", 10},
                                                      {"driver: query 2", 20},
                                                      {"background: garbage collection", 3},
                                                      {"background: JIT compiler", 4},
                                                      {"background: event bus", 5},
                                                      {"background: sparkprof", 6},
                                                      {"background: thread pool-#-thread-#", 7}}));
}

TEST_F(CpuOwnersTest, TheShareIsOfTheProcessesCpuTime) {
  Sampled("Thread-4", 0, 5, 60);
  EXPECT_EQ(OwnersOfCpu(application_).processes_ns, 0) << "not recorded";
  UsedByProcess("jvm", 30, 100);
  UsedByProcess("python_worker", 50, 50);
  const CpuOwners owners = OwnersOfCpu(application_);
  EXPECT_EQ(owners.processes_ns, 150);
  EXPECT_DOUBLE_EQ(owners.Share(), 0.6) << "60 by samples and 30 before the JVM was sampled; the worker has no owner";
  EXPECT_EQ(owners.SumOf(OwnerKind::kBackground), 30);
}

TEST_F(CpuOwnersTest, TimeWithoutSamplesIsOwnedByWhatItStarts) {
  Sampled("Thread-4", 0, 5, 60);
  UsedByProcess("jvm", 30, 90);
  UsedByProcess("python_driver", 20, 25);
  UsedByProcess("python_daemon", 5, 15);
  EXPECT_EQ(Owners(), (std::map<std::string, int64_t>{{"driver: driver program", 60},
                                                      {"background: start of the JVM, before sampling", 30},
                                                      {"driver: start of the driver program, before sampling", 20},
                                                      {"background: start of Python workers", 15}}));
  EXPECT_DOUBLE_EQ(OwnersOfCpu(application_).Share(), 125.0 / 130);
}

TEST_F(CpuOwnersTest, WhatSamplesLackOfAThreadBelongsToItsOwners) {
  application_.profile.tasks.push_back({.task = 7, .stage = 3, .stage_attempt = 0});
  Sampled("Executor task launch worker for task 1.0 in stage 3.0 (TID 7)", 0, 5, 30, 1);
  Sampled("Executor task launch worker-0", 0, 5, 10);
  Sampled("C2 CompilerThread0", 0, 5, 20);
  UsedByProcess("jvm", 100, 200);
  UsedByThreads("Executor task l", 48);
  UsedByThreads("C# Comp..hread#", 19);
  UsedByThreads("spark-listener-", 5);
  UsedByThreads("pool-#-thread-#", 2);
  EXPECT_EQ(Owners(), (std::map<std::string, int64_t>{{"background: start of the JVM, before sampling", 100},
                                                      {"task: stage 3.0", 30 + 6},
                                                      {"background: task threads between tasks", 10 + 2},
                                                      {"background: JIT compiler", 20},
                                                      {"background: event bus", 5},
                                                      {"background: thread pool-#-thread-#", 2}}));
}

TEST_F(CpuOwnersTest, TasksThatEndedHaveTheCpuTimeThatSparkCounts) {
  application_.stages = {{.id = 3}, {.id = 4}};
  application_.profile.tasks.push_back({.task = 7, .stage = 3, .stage_attempt = 0});
  application_.profile.tasks.push_back({.task = 8, .stage = 4, .stage_attempt = 0});
  application_.profile.tasks.push_back({.task = 9, .stage = 4, .stage_attempt = 0});
  Sampled("Executor task launch worker-0", 0, 5, 30, 1);
  Sampled("Thread-48", 0, 5, 500, 1);  // a native engine's thread
  Sampled("Executor task launch worker-0", 0, 6, 60, 2);
  Sampled("Executor task launch worker-0", 0, 7, 100, 3);
  EndedTask(7, 0, 25, 9, 0);
  EndedTask(8, 1, 40, 0, 5);
  UsedByProcess("jvm", 0, 1000);
  UsedByThreads("Executor task l", 170);
  EXPECT_EQ(Owners(), (std::map<std::string, int64_t>{{"task: stage 3.0", 500 + 34}, {"task: stage 4.0", 45 + 100}}))
      << "task 9 still runs";
}

TEST_F(CpuOwnersTest, TasksOfAnExecutorThatIsNotProfiledHaveNone) {
  application_.stages = {{.id = 3}};
  EndedTask(7, 0, 25, 9, 0);
  EXPECT_TRUE(Owners().empty());
}

TEST_F(CpuOwnersTest, ThreadsHaveNoMoreThanTheirProcess) {
  Sampled("C2 CompilerThread0", 0, 5, 60);
  UsedByProcess("jvm", 100, 170);
  UsedByThreads("C# CompilerThre", 80);
  UsedByThreads("VM Thread", 20);
  EXPECT_EQ(Owners(), (std::map<std::string, int64_t>{{"background: start of the JVM, before sampling", 100},
                                                      {"background: JIT compiler", 60 + 5},
                                                      {"background: JVM", 5}}));
}

TEST_F(CpuOwnersTest, GarbageCollectionIsSharedByWhatIsAllocatedInItsJvm) {
  application_.profile.tasks.push_back({.task = 7, .stage = 3, .stage_attempt = 0});
  Sampled("Executor task launch worker-0", 1, 5, 100, 1);
  Sampled("Thread-4", 0, 5, 10);
  Sampled("GC Thread#1", 1, 5, 40);
  Sampled("GC Thread#0", 0, 5, 8);
  const EventId alloc = application_.profile.AddEvent(Event::kAlloc);
  const auto allocated = [&](const char* thread, int32_t executor, int64_t bytes, uint32_t task = 0) {
    Sampled(thread, executor, 5, bytes, task);
    application_.profile.samples.back().event = alloc;
  };
  allocated("Executor task launch worker-0", 1, 3000, 1);
  allocated("executor-heartbeater", 1, 1000);
  allocated("Thread-4", 0, 500);
  std::map<std::string, int64_t> garbage;
  for (const CpuOwner& owner : OwnersOfCpu(application_).owners) garbage[owner.name] = owner.garbage_ns;
  EXPECT_EQ(garbage,
            (std::map<std::string, int64_t>{{"stage 3.0", 30}, {"driver program", 8}, {"garbage collection", 0}}))
      << "the heartbeats have no CPU samples: their 10 ns are nobody's";
}

TEST_F(CpuOwnersTest, AnUnknownThreadHasNoOwner) {
  application_.profile.samples.push_back({.thread = 0, .weight = 10});
  EXPECT_TRUE(Owners().empty());
}

TEST(BackgroundWorkTest, ThreadsOfSparkAreNamedByTheirWork) {
  EXPECT_EQ(BackgroundWorkOf("dispatcher-event-loop-0"), "scheduler and RPC");
  EXPECT_EQ(BackgroundWorkOf("executor-heartbeater"), "heartbeats and metrics");
  EXPECT_EQ(BackgroundWorkOf("shuffle-server-6-1"), "shuffle and block transfer");
  EXPECT_EQ(BackgroundWorkOf("Executor task launch worker for task 0.0"), "");
  EXPECT_EQ(BackgroundWorkOf("main"), "");
}

}  // namespace
}  // namespace sparkprof
