// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// A line of the user's Python code: the innermost in its stacks.
struct PythonLine {
  std::string text;  // "call_service (slacker.py:21)"
  int64_t cpu_ns = 0;
  int64_t own_cpu_ns = 0;  // of cpu_ns: in no other Python code that the line calls
  int64_t wall_ns = 0;
  int64_t idle_ns = 0;  // of wall_ns: while the thread was not runnable
};

// Time of the Python workers of a stage in the user's code and its callees, by their samples; ns.
struct PythonWork {
  int64_t all_cpu_ns = 0;  // with PySpark's own code
  int64_t zip_ns = 0;      // of all_cpu_ns: reading the directories of zip files again
  int64_t all_wall_ns = 0;
  int64_t zip_wall_ns = 0;
  int64_t closure_ns = 0;       // of all_cpu_ns: unpickling functions and broadcast variables
  int64_t start_import_ns = 0;  // of all_cpu_ns: importing modules before the user's code runs
  int64_t cpu_ns = 0;
  int64_t array_ns = 0;   // of cpu_ns: in functions of array libraries (numpy, torch) that the user's code calls
  int64_t by_row_ns = 0;  // of cpu_ns: in iterrows(), or below apply() or map() of pandas
  int64_t wall_ns = 0;
  int64_t sleep_ns = 0;    // of wall_ns: on lines that use almost no CPU, while the thread was not runnable
  int64_t starved_ns = 0;  // of wall_ns: runnable without a CPU
  int64_t import_ns = 0;   // of cpu_ns: importing modules
  int64_t init_ns = 0;     // of cpu_ns: constructors, and functions like "load_model"
  size_t importing_tasks = 0;
  std::vector<PythonLine> by_cpu;    // most first
  std::vector<PythonLine> by_sleep;  // most first; lines that sleep
  std::vector<PythonLine> by_init;   // the constructors and loaders, and the lines that import, by CPU time
};

// All 0 without samples of Python workers. A line that runs while it waits for rows from the JVM is not the user's.
PythonWork WorkOfPython(const Application& application, const StageSummary& stage);

// The CPU time of a task's Python worker; ns, 0 without samples.
int64_t PythonCpuOfTask(const Application& application, const StageSummary& stage, uint32_t task);

// The CPU time in which PySpark's own code passes rows and results.
int64_t PassingTime(const PythonWork& work);

// Whether the stage runs Python code: from its samples, its SQL plan or its call stack.
bool UsesPython(const Application& application, const Stage& stage, const StageSummary& summary);

// CPU use of the Python workers while their profiler recorded it, which is while they run a task. All 0 without such
// records.
struct PythonLoad {
  double cores = 0;     // used on average by each worker
  int64_t span_ns = 0;  // the longest series
};

PythonLoad LoadOfPython(const Application& application);

// The part of a stage's run time that is neither CPU time of the JVM nor GC nor shuffle; 0 without Spark's metrics.
double ShareOutsideJvm(const StageSummary& stage);

// How much of the stage's run time the JVM waits for Python, with the start of workers and the passing of rows. Without
// samples, ShareOutsideJvm.
double ShareOfPythonWait(const StageSummary& stage);

// Whether the stage's SQL execution calls Python functions once for each row, and not for batches (pandas UDFs).
bool CallsPythonForEachRow(const Application& application, const Stage& stage);

// A function of the program that a plan or several plans call with the same columns.
struct RepeatedCall {
  std::string function;  // "risk"; empty = none
  int64_t count = 0;     // of the operators or queries that call it, at least 2
};

// The function that most operators of a stage call: the optimizer copies it, as to a filter below the column that it
// makes.
RepeatedCall CallOfMostOperators(const Application& application, const Stage& stage);

// The function of the stage that most queries call. Nothing for streams, which have a query for each batch.
RepeatedCall CallOfMostQueries(const Application& application, const Stage& stage);

// The function of a CASE or coalesce() that needs its result for some rows only: Spark calls Python for all rows before
// it evaluates the condition. Empty = none.
std::string GuardedCall(const Application& application, const Stage& stage);

}  // namespace sparkprof
