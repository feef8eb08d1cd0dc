// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/segment/segment.h"

namespace sparkprof {

// A small segment with something in every table, for tests and fuzz seeds.
inline Segment ExampleSegment() {
  Segment segment;
  segment.source = {"app-1", "1",     "example", "0",     "host-a",      "boot", 42,
                    1000,    "4.1.1", "17",      "0.1.0", 1'000'000'000, 0,      "executor"};
  segment.anchors = {{5'000'000'000, 1'700'000'000'000'000'000}};
  const auto frame = [&](std::string_view name, FrameKind kind) {
    return segment.frames.Intern({segment.strings.Intern(name), segment.strings.Intern("Job.java"), 7, kind});
  };
  const StackId run = segment.stacks.Push(0, frame("java.lang.Thread.run", FrameKind::kInterpreted));
  const StackId burn = segment.stacks.Push(run, frame("com.example.Job.burn", FrameKind::kJit));
  const StackId wait = segment.stacks.Push(run, frame("jdk.internal.misc.Unsafe.park", FrameKind::kNative));
  segment.threads = {
      {77, segment.strings.Intern("Executor task launch worker")}, {78, segment.strings.Intern("main")}, {79, 0, 4711}};
  segment.samples = {
      {1'700'000'000, Event::kCpu, Category::kTask, ThreadState::kRunning, PythonState::kUnknown, 0, 12, burn,
       20'000'000, 2},
      {1'700'000'001, Event::kWall, Category::kNone, ThreadState::kSleeping, PythonState::kWaiting, 1, kNoTask, wait,
       50'000'000, 1},
  };
  segment.task_intervals = {
      {12, 3, 0, 5, 0, 77, 1, 1'700'000'000'100'000'000, 1'700'000'000'900'000'000, TaskStatus::kSucceeded}};
  segment.spark_events = {R"({"Event":"SparkListenerLogStart","Spark Version":"4.1.1"})"};
  segment.series = {{"jvm.heap_used_bytes",
                     42,
                     1000,
                     SeriesKind::kGauge,
                     {{1'700'000'000'000'000'000, 1.0}, {1'700'000'001'000'000'000, 2.5}}}};
  segment.processes = {{42, 1000, 1, "jvm", "java", 1'700'000'000'000'000'000, 1'700'000'001'000'000'000}};
  segment.losses = {{"cpu_samples", "buffer busy", 3}};
  segment.notices = {{1'700'000'000'000'000'000, NoticeLevel::kWarning, "kernel frames are not visible"}};
  segment.settings = {{"cpu.engine", "perf_events"}};
  segment.final = true;
  segment.task_columns = {{"id", {12, 11}}, {"gcTimeNs", {5, -7}}};
  segment.udfs = {{12, 200, "Model.score", "/home/me/job.py", 31}};
  segment.python_tasks = {{12, 4711, 2000, 1'700'000'000'200'000'000, 1'700'000'000'800'000'000, 550'000'000}};
  segment.heap_summaries = {
      {1'700'000'000'500'000'000,
       40'000'000,
       {{segment.strings.Intern("byte[]"), {900, 70'000}}, {segment.strings.Intern("java.lang.String"), {800, 19'200}}},
       3,
       {12, 480}}};
  segment.neighbors = {{"h",
                        {"1", "2"},
                        "application_1_0042",
                        "ana",
                        "java",
                        3,
                        4,
                        1'700'000'000'000'000'000,
                        1'000'000'000,
                        {3.1e9, 0},
                        {0, 4096}}};
  LogRecords& logs = segment.logs;
  logs.sources = {"app/stderr"};
  logs.templates = {{}, {"Lost task <*>", 1, 1'700'000'000'000'000'000, 1'700'000'000'000'000'000, {0, 0, 0, 0, 1}}};
  logs.time_ns = {1'700'000'000'000'000'000, 0};
  logs.level = {LogLevel::kWarn, LogLevel::kNone};
  logs.executor = {static_cast<int32_t>(segment.strings.Intern("0")), -1};
  logs.source = {0, 0};
  logs.line = {7, 9};
  logs.template_row = {1, 0};
  logs.text = "Lost task 1\n\tat A.bdone";
  logs.text_end = {19, 23};
  logs.dropped = 5;
  return segment;
}

}  // namespace sparkprof
