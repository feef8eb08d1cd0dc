// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>
#include <map>
#include <string>

#include "engines/engines.h"
#include "recording/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// An executor whose tasks wait for Comet, which computes on threads of its own.
class PoolSamplesTest : public testing::Test {
 protected:
  StackId Stack(std::initializer_list<std::pair<const char*, FrameKind>> frames) {
    StackId stack = 0;
    for (const auto& [name, kind] : frames) {
      stack =
          profile().stacks.Push(stack, profile().frames.Intern({.name = profile().strings.Intern(name), .kind = kind}));
    }
    return stack;
  }

  uint32_t Thread(const char* name) {
    profile().threads.push_back({.name = name, .executor = 0});
    return static_cast<uint32_t>(profile().threads.size() - 1);
  }

  uint32_t Task(int64_t tid) {
    profile().tasks.push_back({.task = tid});
    return static_cast<uint32_t>(profile().tasks.size() - 1);
  }

  void Waits(uint32_t task, int64_t second, int64_t wait_ns, ThreadState state = ThreadState::kSleeping) {
    profile().samples.push_back({.stack = wait_,
                                 .thread = Thread("Executor task launch worker"),
                                 .task = task,
                                 .event = profile().AddEvent(Event::kWall),
                                 .category = Category::kTask,
                                 .state = state,
                                 .time_ns = second * kSecond,
                                 .weight = wait_ns});
  }

  void Computes(uint32_t thread, StackId stack, int64_t second, int64_t count) {
    profile().samples.push_back({.stack = stack,
                                 .thread = thread,
                                 .event = profile().AddEvent(Event::kCpu),
                                 .time_ns = second * kSecond,
                                 .weight = count * 10'000'000,
                                 .count = count});
  }

  // CPU time by TID, -1 = of no task.
  std::map<int64_t, int64_t> CpuByTask() {
    std::map<int64_t, int64_t> cpu;
    for (const Sample& sample : profile().samples) {
      if (sample.event == profile().Row(Event::kCpu)) cpu[profile().tasks[sample.task].task] += sample.weight;
    }
    return cpu;
  }

  Profile& profile() { return application_.profile; }

  Application application_;
  StackId wait_ = Stack({{"org.apache.spark.scheduler.Task.run", FrameKind::kJit},
                         {"org.apache.comet.Native.executePlan", FrameKind::kJit}});
  StackId engine_ = Stack({{"clone3", FrameKind::kNative},
                           {"<tokio::runtime::scheduler::multi_thread::worker::Context>::run_task", FrameKind::kNative},
                           {"lz4_flex::block::compress", FrameKind::kNative}});
};

TEST_F(PoolSamplesTest, AnEnginesThreadWorksForTheTaskThatWaitsForIt) {
  const uint32_t task = Task(7), worker = Thread("Thread-48");
  Waits(task, 1, kSecond);
  Computes(worker, engine_, 1, 50);
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask(), (std::map<int64_t, int64_t>{{7, 500'000'000}}));
  const Sample& joined = profile().samples.back();
  EXPECT_EQ(joined.category, Category::kTask);
  std::vector<FrameId> path;
  profile().stacks.Unwind(joined.stack, &path);
  std::vector<std::string> names;
  for (const FrameId frame : path) names.emplace_back(profile().strings.Get(profile().frames.Get(frame).name));
  ASSERT_EQ(names.size(), 6U);
  EXPECT_EQ(names[1], "org.apache.comet.Native.executePlan");
  EXPECT_EQ(names[2], kEngineThreadFrame);
  EXPECT_EQ(names[5], "lz4_flex::block::compress");
}

TEST_F(PoolSamplesTest, TasksThatWaitAtOnceShareTheSamplesByTheirWaits) {
  const uint32_t first = Task(1), second = Task(2), worker = Thread("Thread-48");
  Waits(first, 1, 900'000'000);
  Waits(second, 1, 100'000'000);
  for (int i = 0; i < 10; ++i) Computes(worker, engine_, 1, 1);
  Computes(worker, engine_, 1, 1000);
  JoinPoolSamples(&application_);
  const std::map<int64_t, int64_t> cpu = CpuByTask();
  EXPECT_EQ(cpu.at(1) + cpu.at(2), 10'100'000'000) << "nothing is counted twice or lost";
  EXPECT_NEAR(static_cast<double>(cpu.at(2)), 1.01e9, 0.02e9);
}

TEST_F(PoolSamplesTest, AnOperatorWorksForTheStagesThatHaveItInTheirPlan) {
  const uint32_t sorts = Task(1), filters = Task(2), worker = Thread("Thread-48");
  PlanNode* plan = &application_.sql_executions.emplace_back(SqlExecution{.id = 5}).plan;
  for (const char* name : {"CometSort", "CometExchange", "CometFilter", "CometNativeScan parquet"}) {
    plan->name = name;
    plan->metrics = {{.name = "number of output rows", .type = "sum", .has_value = true, .value = 1}};
    plan->stages = plan->name == "CometSort" ? std::vector<int64_t>{4} : std::vector<int64_t>{3};
    plan = &plan->children.emplace_back();
  }
  for (const int64_t stage : {3, 4}) {
    application_.stages.push_back({.id = stage, .sql_execution = 5});
    application_.tasks.stage[application_.tasks.Append(stage == 4 ? 1 : 2)] = static_cast<int32_t>(stage - 3);
  }
  Waits(sorts, 1, kSecond);
  Waits(filters, 1, kSecond);
  const auto runs = [&](const char* outer, const char* inner) {
    return Stack({{outer, FrameKind::kNative}, {inner, FrameKind::kNative}, {"comet::hash", FrameKind::kNative}});
  };
  const char* filter = "datafusion_physical_plan::filter::FilterExecStream::poll_next";
  Computes(worker, runs("tokio::run", "datafusion_physical_plan::sorts::sort::ExternalSorter::sort"), 1, 100);
  Computes(worker, runs(filter, "parquet::arrow::push_decoder::next"), 1, 10);
  // No stage has both.
  Computes(worker, runs("datafusion_physical_plan::sorts::sort::ExternalSorter::sort", filter), 1, 2);
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask(), (std::map<int64_t, int64_t>{{1, 1'010'000'000}, {2, 110'000'000}}));
}

TEST_F(PoolSamplesTest, WhatTheEngineCallsInTheJvmIsItsOwnToo) {
  const uint32_t task = Task(7), worker = Thread("Thread-48");
  Waits(task, 1, kSecond);
  Computes(worker, engine_, 1, 1);
  Computes(worker, Stack({{"org.apache.spark.CometTaskMemoryManager.acquireMemory", FrameKind::kJit}}), 1, 1);
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask().at(7), 20'000'000);
}

TEST_F(PoolSamplesTest, SamplesWithoutATaskThatWaitsStayAsTheyAre) {
  const uint32_t task = Task(7), worker = Thread("Thread-48"), other = Thread("dag-scheduler-event-loop");
  Waits(task, 1, kSecond);
  Waits(Task(8), 20, kSecond, ThreadState::kRunning);  // computes itself
  Computes(worker, engine_, 10, 1);
  Computes(worker, engine_, 20, 1);
  Computes(other, Stack({{"org.apache.spark.scheduler.DAGScheduler.run", FrameKind::kJit}}), 1, 1);
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask(), (std::map<int64_t, int64_t>{{kNoTask, 30'000'000}}));
}

TEST_F(PoolSamplesTest, AnEnginesThreadsInTheJvmAreKnownByTheirNames) {
  wait_ = Stack({{"org.apache.spark.scheduler.Task.run", FrameKind::kJit},
                 {"com.nvidia.spark.rapids.MultiFileCloudPartitionReaderBase.next", FrameKind::kJit},
                 {"java.util.concurrent.FutureTask.get", FrameKind::kJit},
                 {"Unsafe_Park", FrameKind::kNative}});
  const uint32_t task = Task(7), reader = Thread("multithreaded file reader worker-3"), other = Thread("pool-3");
  Waits(task, 1, kSecond);
  const StackId reads = Stack({{"org.apache.parquet.hadoop.ParquetFileReader.readNextRowGroup", FrameKind::kJit}});
  Computes(reader, reads, 1, 5);
  Computes(other, reads, 1, 1);
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask(), (std::map<int64_t, int64_t>{{7, 50'000'000}, {kNoTask, 10'000'000}}));
}

TEST_F(PoolSamplesTest, TheDriversThreadThatCallsTheEngineToPlanIsNoPool) {
  const uint32_t task = Task(7), driver = Thread("Thread-5");
  Waits(task, 1, kSecond);
  const StackId plans = Stack({{"java.lang.Thread.run", FrameKind::kJit},
                               {"py4j.ClientServerConnection.run", FrameKind::kJit},
                               {"comet::execution::planner::create_plan", FrameKind::kNative}});
  const StackId parses =
      Stack({{"java.lang.Thread.run", FrameKind::kJit}, {"py4j.ClientServerConnection.run", FrameKind::kJit}});
  Computes(driver, plans, 1, 2);
  Computes(driver, parses, 1, 50);
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask(), (std::map<int64_t, int64_t>{{kNoTask, 520'000'000}}));
}

TEST_F(PoolSamplesTest, ATaskThatTheEngineCallsBackDoesNotWaitForIt) {
  const uint32_t first = Task(1), second = Task(2), worker = Thread("Thread-48");
  Waits(first, 1, kSecond);
  wait_ = Stack({{"org.apache.comet.Native.executePlan", FrameKind::kJit},
                 {"comet::execution::operators::scan::next", FrameKind::kNative},
                 {"java.lang.Thread.sleep", FrameKind::kJit}});
  Waits(second, 1, kSecond);
  Computes(worker, engine_, 1, 10);
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask(), (std::map<int64_t, int64_t>{{1, 100'000'000}}));
}

TEST_F(PoolSamplesTest, ReleasedMemoryIsThatOfTheTaskThatGotIt) {
  const uint32_t first = Task(1), second = Task(2), worker = Thread("Thread-48");
  Waits(first, 1, kSecond);
  Waits(second, 5, kSecond);
  Computes(worker, engine_, 1, 1);
  const auto add = [&](Event event, int64_t at_second, int64_t bytes) {
    profile().samples.push_back({.stack = engine_,
                                 .thread = worker,
                                 .event = profile().AddEvent(event),
                                 .time_ns = at_second * kSecond,
                                 .weight = bytes});
  };
  add(Event::kMalloc, 1, 100);
  add(Event::kMalloc, 5, 50);
  add(Event::kFree, 5, 120);
  JoinPoolSamples(&application_);
  std::map<std::pair<Event, int64_t>, int64_t> bytes;
  for (const Sample& sample : profile().samples) {
    for (const Event event : {Event::kMalloc, Event::kFree}) {
      if (sample.event == profile().Row(event)) bytes[{event, profile().tasks[sample.task].task}] += sample.weight;
    }
  }
  EXPECT_EQ(
      bytes,
      (std::map<std::pair<Event, int64_t>, int64_t>{
          {{Event::kMalloc, 1}, 100}, {{Event::kMalloc, 2}, 50}, {{Event::kFree, 1}, 100}, {{Event::kFree, 2}, 20}}));
}

TEST_F(PoolSamplesTest, AThreadThatRunsTasksIsNoPool) {
  const uint32_t task = Task(7);
  Waits(task, 1, kSecond);
  const uint32_t worker = profile().samples.back().thread;
  Computes(worker, engine_, 1, 1);  // after its task
  JoinPoolSamples(&application_);
  EXPECT_EQ(CpuByTask(), (std::map<int64_t, int64_t>{{kNoTask, 10'000'000}}));
}

}  // namespace
}  // namespace sparkprof
