// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/testing/application_builder.h"

namespace sparkprof {

// Stage 4 with task 10 on an executor with the Python worker 4711; tests add samples. Weights are ns.
class PythonApplication {
 public:
  static constexpr char kPyspark[] = "/opt/spark/python/lib/pyspark.zip/pyspark/";

  PythonApplication() {
    executor_ = builder_.AddExecutor("1", 2);
    builder_.AddJob(0, {4});
    stage_ = builder_.AddStage(4, 0, 0);
    builder_.AddTask(10, stage_, executor_, 1, 9);
    jvm_thread_ = builder_.AddThread(200, "Executor task launch worker", executor_);
    worker_thread_ = AddPythonThread(4711, 4711);
    run_ = builder_.AddStack({"java.lang.Thread.run", "com.example.Job.map"});
    wait_ = builder_.AddStack(
        {"java.lang.Thread.run", "org.apache.spark.api.python.BasePythonRunner$ReaderIterator.hasNext",
         "org.apache.spark.sql.execution.python.BasePythonUDFRunner$$anon$2.read", "java.io.DataInputStream.readInt",
         "org.apache.spark.api.python.BasePythonRunner$ReaderInputStream.read", "sun.nio.ch.EPoll.wait"});
    const FrameId main = Python("main", std::string(kPyspark) + "worker.py", 1800);
    const FrameId load = Python("load_stream", std::string(kPyspark) + "serializers.py", 220);
    const FrameId loop = Python("dump_stream", std::string(kPyspark) + "serializers.py", 220);
    score_ = builder_.AddStack({main, loop, Python("score", "/home/me/job.py", 12)});
    score_deeper_ =
        builder_.AddStack({main, loop, Python("score", "/home/me/job.py", 14), Python("help", "/home/me/job.py", 5)});
    load_ = builder_.AddStack({main, load});
  }

  uint32_t AddPythonThread(int64_t tid, int64_t pid) {
    const uint32_t row = builder_.AddThread(tid, "Python 4711", executor_);
    builder_.application().profile.threads[row].process = pid;
    return row;
  }

  FrameId Python(std::string_view name, std::string_view file, uint32_t line) {
    return builder_.AddFrame(name, FrameKind::kPython, file, line);
  }

  Sample& AddJvm(Event event, int64_t second, StackId stack, int64_t weight, PythonState python, int64_t task = 10) {
    Sample& sample = builder_.AddSample(event, second, jvm_thread_, task, stack, weight);
    sample.state = stack == wait_ ? ThreadState::kSleeping : ThreadState::kRunning;
    sample.python = python;
    return sample;
  }

  Sample& AddPython(Event event, int64_t second, StackId stack, int64_t weight, ThreadState state, int64_t task = 10) {
    Application& application = builder_.application();
    application.python_samples.push_back({.stack = stack,
                                          .thread = worker_thread_,
                                          .task = builder_.TaskRow(task),
                                          .event = application.profile.AddEvent(event),
                                          .category = task == kNoTask ? Category::kNone : Category::kTask,
                                          .state = state,
                                          .time_ns = ApplicationBuilder::kStart + second * kNanosPerSecond,
                                          .weight = weight});
    return application.python_samples.back();
  }

  ApplicationBuilder& builder() { return builder_; }
  Application& application() { return builder_.application(); }
  StackId run() const { return run_; }      // the JVM works
  StackId wait() const { return wait_; }    // the JVM waits for Python
  StackId score() const { return score_; }  // the user's function
  StackId score_deeper() const { return score_deeper_; }
  StackId load() const { return load_; }  // Python reads rows
  uint32_t worker_thread() const { return worker_thread_; }
  int32_t stage() const { return stage_; }
  int32_t executor() const { return executor_; }

 private:
  ApplicationBuilder builder_;
  int32_t executor_, stage_;
  uint32_t jvm_thread_, worker_thread_;
  StackId run_, wait_, score_, score_deeper_, load_;
};

}  // namespace sparkprof
