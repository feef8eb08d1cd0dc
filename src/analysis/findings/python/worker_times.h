// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Spark's own measurements of the Python workers of a stage's SQL operators, in ns over all tasks. All 0 for RDDs and
// before Spark 4.0.
struct PythonMetrics {
  int64_t start_ns = 0;       // to start or get a worker
  int64_t initialize_ns = 0;  // to read functions and import modules; includes a reused worker's idle time
  int64_t run_ns = 0;         // from start to end of the worker's part of a task, including both of the above
};

PythonMetrics PythonMetricsOf(const Application& application, const Stage& stage);

// Start of the template of these messages.
constexpr std::string_view kPythonTimes = "Times: total = ";

// Times that Spark's Python runners log at the end of each task that has Python code.
struct PythonLogTimes {
  int64_t count = 0;
  int64_t reused = 0;  // part of count: tasks that reused a worker, which has its modules already
  int64_t total_ns = 0;
  int64_t of_rows_ns = 0;          // part of total_ns: functions that get single rows, by the logger's name
  int64_t own_ns = 0;              // part of total_ns: before the first row, including PySpark's own time per task
  int64_t starting_ns = 0;         // part of total_ns: to get a worker, read the functions and import their modules
  std::vector<int64_t> starts_ns;  // starting_ns per task
};

// All 0 without such messages, or if more than text logs is known about the application's tasks.
PythonLogTimes PythonTimesInLogs(const Application& application);

// Common thresholds for the start of Python workers in event logs and text logs.
inline constexpr double kMuchStarting = 0.4;  // share of the workers' time
// Tasks per core; with fewer, the first starts and idle workers dominate.
inline constexpr int64_t kStartsPerCore = 8;

// True if a Python worker survives its task.
bool ReusesWorkers(const Application& application);

// Advice to start fewer Python workers, as a sentence.
std::string LongerTasksAdvice(const Application& application);

}  // namespace sparkprof
