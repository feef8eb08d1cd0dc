// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/selection/threads.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

constexpr int64_t kPid = 4000, kPythonPid = 4100;

// Thread 200 of an executor's JVM runs task 1 from second 1 to 5 and task 2 from 6 to 9; a Python worker helps task 2.
class TasksOfThreadsTest : public testing::Test {
 protected:
  TasksOfThreadsTest() {
    const int32_t executor = AddExecutor("1", kPid);
    const int32_t stage = builder_.AddStage(3, 1, 0);
    builder_.AddTask(1, stage, executor, 1, 5);
    builder_.AddTask(2, stage, executor, 6, 9);
    const uint32_t thread = builder_.AddThread(200, "Executor task launch worker", executor);
    const StackId stack = builder_.AddStack({"java.lang.Thread.run"});
    builder_.AddSample(Event::kCpu, 2, thread, 1, stack, 1);
    builder_.AddSample(Event::kCpu, 6, thread, 2, stack, 1);
    const uint32_t python = builder_.AddThread(kPythonPid, "python3", executor);
    builder_.application().profile.threads[python].process = kPythonPid;
    builder_.AddSample(Event::kCpu, 6, python, 2, stack, 1);
    builder_.application().python_samples.push_back(builder_.application().profile.samples.back());
    builder_.application().profile.samples.pop_back();
  }

  int32_t AddExecutor(std::string id, int64_t pid) {
    const int32_t executor = builder_.AddExecutor(std::move(id), 2);
    ApplicationProcess process;
    process.process.pid = pid;
    process.process.role = "jvm_executor";
    process.executor = executor;
    builder_.application().processes.push_back(process);
    return executor;
  }

  // The TID of a sample of the host's profile; kNoTask = none.
  int64_t TaskAt(int64_t pid, int64_t tid, double second) {
    Profile host;
    host.threads.push_back({.process = pid, .tid = tid, .name = {}});
    host.samples.push_back({.thread = 1, .time_ns = ApplicationBuilder::Time(second), .weight = 1});
    assigned_ = AssignTasks(builder_.application(), &host);
    const ProfileTask& task = host.tasks[host.samples[0].task];
    if (task.task != kNoTask) {
      EXPECT_EQ(task.stage, 3);
      EXPECT_EQ(task.stage_attempt, 1);
    }
    return task.task;
  }

  ApplicationBuilder builder_;
  AssignedSamples assigned_;
};

TEST_F(TasksOfThreadsTest, ASampleBelongsToTheTaskOfItsThreadAndTime) {
  EXPECT_EQ(TaskAt(kPid, 200, 1), 1);
  EXPECT_EQ(TaskAt(kPid, 200, 4.9), 1);
  EXPECT_EQ(TaskAt(kPid, 200, 7), 2);
  EXPECT_EQ(TaskAt(kPythonPid, kPythonPid, 7), 2);
  EXPECT_EQ(assigned_.of_tasks, 1);
}

TEST_F(TasksOfThreadsTest, BetweenTasksAndOnOtherThreadsThereIsNone) {
  for (const double second : {0.5, 5.0, 5.5, 9.0}) EXPECT_EQ(TaskAt(kPid, 200, second), kNoTask) << second;
  EXPECT_EQ(TaskAt(kPid, 201, 2), kNoTask);
  EXPECT_EQ(assigned_.of_processes, 1);
  EXPECT_EQ(TaskAt(5000, 200, 2), kNoTask) << "another process";
  EXPECT_EQ(assigned_.of_processes, 0);
}

TEST_F(TasksOfThreadsTest, ATaskThatStillRunsHasNoEnd) {
  builder_.application().tasks.finish_ns[1] = 0;
  EXPECT_EQ(TaskAt(kPid, 200, 50), 2);
}

TEST_F(TasksOfThreadsTest, AThreadIdOfSeveralHostsIsUnknown) {
  const int32_t other = AddExecutor("2", kPid);
  builder_.AddTask(3, 0, other, 1, 5);
  const uint32_t thread = builder_.AddThread(200, "Executor task launch worker", other);
  builder_.AddSample(Event::kCpu, 2, thread, 3, builder_.AddStack({"java.lang.Thread.run"}), 1);
  EXPECT_EQ(TaskAt(kPid, 200, 2), kNoTask);
  EXPECT_EQ(TaskAt(kPythonPid, kPythonPid, 7), 2);
}

TEST_F(TasksOfThreadsTest, SamplesWithoutTimeOrThreadHaveNone) {
  Profile host;
  host.threads.push_back({.process = kPid, .tid = 200, .name = {}});
  host.samples = {{.thread = 1, .weight = 1}, {.thread = 0, .time_ns = ApplicationBuilder::Time(2), .weight = 1}};
  const AssignedSamples assigned = AssignTasks(builder_.application(), &host);
  EXPECT_EQ(assigned.of_processes, 1);
  EXPECT_EQ(assigned.of_tasks, 0);
  EXPECT_EQ(host.tasks.size(), 1u);
}

}  // namespace
}  // namespace sparkprof
