// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// A line of the user's Python code: the innermost in its stacks.
struct PythonLine {
  std::string text;  // "call_service (slacker.py:21)"
  int64_t cpu_ns = 0;
  int64_t wall_ns = 0;
};

// What the Python workers of a stage did in the user's code and what it called, by their samples; ns.
//
// A task's wall time is that of the thread that runs it. While that thread waits for threads that the code started,
// the task does what they do: it sleeps if one of them at a time does, and computes if they do.
struct PythonWork {
  int64_t cpu_ns = 0;       // of all threads
  int64_t wall_ns = 0;      // of the tasks' own threads
  int64_t runtime_ns = 0;   // PySpark's own wall time beside wall_ns, running: it does not wait for the JVM
  int64_t sleep_ns = 0;     // of wall_ns: on lines that use almost no CPU
  int64_t pool_ns = 0;      // of wall_ns: waiting for several threads of the code that sleep at once
  double pool_threads = 0;  // how many sleep at once on average
  int64_t import_ns = 0;    // of cpu_ns: importing modules
  int64_t init_ns = 0;      // of cpu_ns: constructors of the user's classes
  size_t importing_tasks = 0;
  std::vector<PythonLine> by_cpu;    // most first
  std::vector<PythonLine> by_sleep;  // most first; lines that sleep
  std::vector<PythonLine> by_pool;   // most first; lines on which threads of the code sleep, with their own wall time
  std::vector<PythonLine> by_init;   // the constructors, and the lines that import, by CPU time

  // The share of the workers' wall time; 0 without samples.
  double ShareOfSleep() const;
  double ShareOfPool() const;
};

// All 0 without samples of Python workers. A line that runs while it waits for rows from the JVM is not the user's.
PythonWork WorkOfPython(const Application& application, const StageSummary& stage);

// The run time of the stage's tasks; text logs have no metrics, but durations.
int64_t RunTime(const StageSummary& summary);

// Run time in which the JVM waits for this share of what its Python workers do.
int64_t TimeInPython(const StageSummary& summary, double share);

// Whether the stage runs Python code: from its samples, its SQL plan or its call stack.
bool UsesPython(const Application& application, const Stage& stage, const StageSummary& summary);

// CPU use of the Python workers while their profiler recorded it, which is while they run a task. All 0 without such
// records.
struct PythonLoad {
  double cores = 0;     // used on average by each worker
  int64_t span_ns = 0;  // the longest series
};

PythonLoad LoadOfPython(const Application& application);

// Whether Spark counted the CPU time of tasks: it does so from 2.1 on.
bool HasCpuTime(const Application& application);

// The part of a stage's run time that is neither CPU time of the JVM nor GC nor shuffle; 0 without Spark's metrics.
double ShareOutsideJvm(const StageSummary& stage);

// How much of the stage's run time the JVM waits for Python, with the start of workers and the passing of rows. Without
// samples, ShareOutsideJvm.
double ShareOfPythonWait(const StageSummary& stage);

// Whether the stage's SQL execution calls Python functions once for each row, and not for batches (pandas UDFs).
bool CallsPythonForEachRow(const Application& application, const Stage& stage);

}  // namespace sparkprof
