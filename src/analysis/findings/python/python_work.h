// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// A line of the user's Python code that is the innermost one in its stacks.
struct PythonLine {
  std::string text;  // "call_service (slacker.py:21)"
  int64_t cpu_ns = 0;
  int64_t own_cpu_ns = 0;  // part of cpu_ns without Python callees
  int64_t wall_ns = 0;
  int64_t idle_ns = 0;  // part of wall_ns in which the thread was not runnable
};

// Time of a stage's Python workers in the user's code and its callees, from samples; ns.
struct PythonWork {
  int64_t all_cpu_ns = 0;  // including PySpark's own code
  int64_t zip_ns = 0;      // part of all_cpu_ns: reading the directories of zip files again
  int64_t all_wall_ns = 0;
  int64_t zip_wall_ns = 0;
  int64_t closure_ns = 0;       // part of all_cpu_ns: unpickling functions and broadcast variables
  int64_t start_import_ns = 0;  // part of all_cpu_ns: importing modules before the user's code runs
  int64_t cpu_ns = 0;
  int64_t array_ns = 0;   // part of cpu_ns: functions of array libraries (numpy, torch) called by the user's code
  int64_t by_row_ns = 0;  // part of cpu_ns: iterrows(), or below apply() or map() of pandas
  int64_t wall_ns = 0;
  int64_t sleep_ns = 0;    // part of wall_ns: lines that use almost no CPU while the thread is not runnable
  int64_t starved_ns = 0;  // part of wall_ns: runnable without a CPU
  int64_t import_ns = 0;   // part of cpu_ns: importing modules
  int64_t init_ns = 0;     // part of cpu_ns: constructors, and functions like "load_model"
  size_t importing_tasks = 0;
  std::vector<PythonLine> by_cpu;    // largest first
  std::vector<PythonLine> by_sleep;  // sleeping lines, largest first
  std::vector<PythonLine> by_init;   // constructors, loaders and importing lines, by CPU time
};

// All 0 without samples of Python workers. Lines that wait for rows from the JVM do not count as the user's.
PythonWork WorkOfPython(const Application& application, const StageSummary& stage);

// Library functions that the user's code calls to parse texts, by CPU time: "loads (wkt.py:22)".
std::vector<PythonLine> ParsingFunctions(const Application& application, const StageSummary& stage);

// CPU time of a task's Python worker in ns; 0 without samples.
int64_t PythonCpuOfTask(const Application& application, const StageSummary& stage, uint32_t task);

// CPU time in which PySpark's own code passes rows and results.
int64_t PassingTime(const PythonWork& work);

// True if the stage runs Python code, by its samples, SQL plan or call stack.
bool UsesPython(const Application& application, const Stage& stage, const StageSummary& summary);

// CPU usage of Python workers while their profiler recorded it, which is during tasks. All 0 without such records.
struct PythonLoad {
  double cores = 0;     // average usage per worker
  int64_t span_ns = 0;  // length of the longest series
};

PythonLoad LoadOfPython(const Application& application);

// The share of a stage's run time that is neither CPU time of the JVM nor GC nor shuffle; 0 without Spark's metrics.
double ShareOutsideJvm(const StageSummary& stage);

// The share of a stage's run time in which the JVM waits for Python, including the start of workers and the passing of
// rows. Without samples, ShareOutsideJvm.
double ShareOfPythonWait(const StageSummary& stage);

// True if the stage's query calls Python functions per row, not per batch (pandas UDFs).
bool CallsPythonForEachRow(const Application& application, const Stage& stage);

// A function of the program that one or several plans call with the same columns.
struct RepeatedCall {
  std::string function;  // "risk"; empty = none
  int64_t count = 0;     // number of operators or queries that call it, at least 2
};

// The function called by most operators of a stage, because the optimizer copies it, for example to a filter below the
// computed column.
RepeatedCall CallOfMostOperators(const Application& application, const Stage& stage);

// The function of the stage that most queries call. Empty for streams, which have a query per batch.
RepeatedCall CallOfMostQueries(const Application& application, const Stage& stage);

// The function of a CASE or coalesce() whose result only some rows need: Spark calls Python for all rows before it
// evaluates the condition. Empty = none.
std::string GuardedCall(const Application& application, const Stage& stage);

}  // namespace sparkprof
