// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "model/application.h"

namespace sparkprof {

// Puts an application together by hand, for tests. It starts at kStart and lasts kDuration. Times are seconds since
// then.
class ApplicationBuilder {
 public:
  static constexpr int64_t kStart = 1'700'000'000 * kNanosPerSecond;
  static constexpr int64_t kDuration = 100 * kNanosPerSecond;

  ApplicationBuilder() {
    application_.id = "app-1";
    application_.attempt = "1";
    application_.name = "example";
    application_.spark_version = "4.1.1";
    application_.start_ns = kStart;
    application_.end_ns = kStart + kDuration;
    application_.ended = true;
    application_.complete = true;
  }

  int32_t AddExecutor(std::string id, int64_t cores) {
    Executor executor;
    executor.id = std::move(id);
    executor.host = "host-a";
    executor.cores = cores;
    executor.add_ns = kStart;
    application_.executors.push_back(std::move(executor));
    return static_cast<int32_t>(application_.executors.size()) - 1;
  }

  void AddJob(int64_t id, std::vector<int64_t> stages, int64_t sql = -1) {
    Job job;
    job.id = id;
    job.status = RunStatus::kSucceeded;
    job.stages = std::move(stages);
    job.sql_execution = sql;
    job.submit_ns = kStart;
    job.end_ns = kStart + kDuration;
    application_.jobs.push_back(std::move(job));
  }

  int32_t AddStage(int64_t id, int64_t attempt, int64_t job, std::string name = "count at Job.scala:12") {
    Stage stage;
    stage.id = id;
    stage.attempt = attempt;
    stage.job = job;
    stage.name = std::move(name);
    stage.status = RunStatus::kSucceeded;
    application_.stages.push_back(std::move(stage));
    return static_cast<int32_t>(application_.stages.size()) - 1;
  }

  // Returns the row. Run time is the duration; CPU time is `cpu_seconds`.
  size_t AddTask(int64_t tid, int32_t stage, int32_t executor, double begin, double end, double cpu_seconds = 0) {
    Tasks& tasks = application_.tasks;
    const size_t row = tasks.Append(tid);
    tasks.stage[row] = stage;
    tasks.index[row] = static_cast<int32_t>(row);
    tasks.executor[row] = executor;
    tasks.launch_ns[row] = Time(begin);
    tasks.finish_ns[row] = Time(end);
    tasks.outcome[row] = TaskOutcome::kSucceeded;
    tasks.Column(TaskMetric::kDuration)[row] = Time(end) - Time(begin);
    tasks.Column(TaskMetric::kExecutorRunTime)[row] = Time(end) - Time(begin);
    tasks.Column(TaskMetric::kExecutorCpuTime)[row] = Nanos(cpu_seconds);
    return row;
  }

  uint32_t AddThread(int64_t tid, std::string name, int32_t executor) {
    application_.profile.threads.push_back({.tid = tid, .name = std::move(name), .executor = executor});
    return static_cast<uint32_t>(application_.profile.threads.size()) - 1;
  }

  FrameId AddFrame(std::string_view name, FrameKind kind = FrameKind::kJit, std::string_view file = {},
                   uint32_t line = 0) {
    return application_.profile.frames.Intern(
        {application_.profile.strings.Intern(name), application_.profile.strings.Intern(file), line, kind});
  }

  StackId AddStack(std::initializer_list<FrameId> root_first) {
    StackId stack = 0;
    for (const FrameId frame : root_first) stack = application_.profile.stacks.Push(stack, frame);
    return stack;
  }

  // Kind of JIT-compiled frames.
  StackId AddStack(std::initializer_list<std::string_view> root_first) {
    StackId stack = 0;
    for (const std::string_view name : root_first) stack = application_.profile.stacks.Push(stack, AddFrame(name));
    return stack;
  }

  // `second` is the start of the sample's bucket of one second. Without a task the category is kNone.
  Sample& AddSample(Event event, int64_t second, uint32_t thread, int64_t task, StackId stack, int64_t weight,
                    int64_t count = 1) {
    application_.profile.samples.push_back({.stack = stack,
                                            .thread = thread,
                                            .task = TaskRow(task),
                                            .event = application_.profile.AddEvent(event),
                                            .category = task == kNoTask ? Category::kNone : Category::kTask,
                                            .time_ns = kStart + second * kNanosPerSecond,
                                            .weight = weight,
                                            .count = count});
    return application_.profile.samples.back();
  }

  // The row of a task in the profile, added if need be.
  uint32_t TaskRow(int64_t task) {
    std::vector<ProfileTask>& tasks = application_.profile.tasks;
    const auto found =
        std::find_if(tasks.begin(), tasks.end(), [&](const ProfileTask& row) { return row.task == task; });
    const auto row = static_cast<uint32_t>(found - tasks.begin());
    if (found == tasks.end()) tasks.push_back({.task = task});
    application_.FillProfileTasks();
    return row;
  }

  static int64_t Nanos(double seconds) { return static_cast<int64_t>(seconds * 1e9); }
  static int64_t Time(double seconds) { return kStart + Nanos(seconds); }

  Application& application() { return application_; }

 private:
  Application application_;
};

// Two executors, two jobs (job 1 belongs to SQL execution 5), stages 0.0, 1.0 and 1.1, four tasks, samples of cpu, wall
// and alloc; the numbers are in the tests that use it.
inline Application ExampleApplication() {
  ApplicationBuilder builder;
  const int32_t driver = builder.AddExecutor("driver", 0);
  const int32_t executor = builder.AddExecutor("1", 2);
  builder.AddJob(0, {0});
  builder.AddJob(1, {0, 1}, 5);
  SqlExecution sql;
  sql.id = 5;
  sql.description = "select 1";
  sql.jobs = {1};
  sql.plan.name = "Project";
  sql.plan.metrics = {{"rows", "sum", 1, true, 12}, {"time", "timing", 2, false, 0}};
  sql.plan.children = {{"Scan", "Scan parquet", {}, {}}};
  builder.application().sql_executions.push_back(sql);
  const int32_t first = builder.AddStage(0, 0, 0);
  const int32_t second = builder.AddStage(1, 0, 1);
  const int32_t retry = builder.AddStage(1, 1, 1);
  builder.AddTask(10, first, executor, 1, 5, 3);
  builder.AddTask(11, first, executor, 1, 9, 3);
  builder.AddTask(12, second, executor, 10, 30, 15);
  builder.AddTask(13, retry, executor, 40, 50, 1);
  const uint32_t main_thread = builder.AddThread(100, "main", driver);
  const uint32_t worker = builder.AddThread(200, "Executor task launch worker for task 0.0", executor);
  const uint32_t compiler = builder.AddThread(300, "C2 CompilerThre", executor);
  const StackId map =
      builder.AddStack({"java.lang.Thread.run", "org.apache.spark.scheduler.Task.run", "com.example.Job.map"});
  const StackId parse = builder.AddStack({"java.lang.Thread.run", "org.apache.spark.scheduler.Task.run",
                                          "com.example.Job.map", "java.lang.Integer.parseInt"});
  const StackId plan = builder.AddStack({"com.example.Job.main", "org.apache.spark.sql.Dataset.collect"});
  const StackId compile =
      builder.AddStack({builder.AddFrame("CompileBroker::compiler_thread_loop", FrameKind::kNative, "libjvm.so")});
  const StackId idle = builder.AddStack({"java.lang.Thread.run", "jdk.internal.misc.Unsafe.park"});
  builder.AddSample(Event::kCpu, 1, worker, 10, map, 1'000, 1);
  builder.AddSample(Event::kCpu, 2, worker, 10, parse, 2'000, 2);
  builder.AddSample(Event::kCpu, 3, worker, 11, parse, 4'000, 4);
  builder.AddSample(Event::kCpu, 12, worker, 12, map, 8'000, 8);
  builder.AddSample(Event::kCpu, 42, worker, 13, map, 16'000, 16);
  builder.AddSample(Event::kCpu, 0, main_thread, kNoTask, plan, 32'000, 32);
  builder.AddSample(Event::kCpu, 5, compiler, kNoTask, compile, 64'000, 64);
  builder.AddSample(Event::kWall, 20, worker, kNoTask, idle, 7'000, 7).category = Category::kIdlePool;
  builder.AddSample(Event::kWall, 12, worker, 12, map, 9'000, 9).state = ThreadState::kSleeping;
  builder.AddSample(Event::kAlloc, 12, worker, 12, parse, 512, 3);
  Coverage coverage;
  coverage.event = Event::kCpu;
  coverage.count = 127;
  coverage.weight = 127'000;
  coverage.on_task_threads = 31;
  coverage.joined = 31;
  coverage.lost = 2;
  builder.application().coverage.push_back(coverage);
  Process python;
  python.pid = 4711;
  python.role = "python_worker";
  python.command = "python -m pyspark.daemon";
  builder.application().processes.push_back({python, executor});
  builder.application().series.push_back(
      {"process.cpu_ns",
       executor,
       0,
       SeriesKind::kCounter,
       {{ApplicationBuilder::Time(1), 0}, {ApplicationBuilder::Time(2), 5e8}, {ApplicationBuilder::Time(4), 25e8}}});
  builder.application().environment.push_back({"Spark", {{"spark.app.name", "example"}}});
  return builder.application();
}

}  // namespace sparkprof
