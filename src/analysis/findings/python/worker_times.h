// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Spark's own measurements of the Python workers of a stage's SQL operators; ns over all tasks. All 0 without them:
// RDDs, and Spark before 4.0.
struct PythonMetrics {
  int64_t start_ns = 0;       // to start or get a worker, and
  int64_t initialize_ns = 0;  // to read the functions and import their modules; with the idle time of a reused worker
  int64_t run_ns = 0;         // from the start to the end of the worker's part of a task, with both of the above
};

PythonMetrics PythonMetricsOf(const Application& application, const Stage& stage);

// The begin of their template.
constexpr std::string_view kPythonTimes = "Times: total = ";

// Times that Spark's Python runners log at the end of each task that has Python code.
struct PythonLogTimes {
  int64_t count = 0;
  int64_t reused = 0;  // of count: tasks that got a worker of an earlier task, which has its modules already
  int64_t total_ns = 0;
  int64_t of_rows_ns = 0;          // of total_ns: in functions that get one row at a time, by the logger's name
  int64_t own_ns = 0;              // of total_ns: before the first row, also what PySpark itself needs for each task
  int64_t starting_ns = 0;         // of total_ns: to get a worker, to read the functions and import their modules
  std::vector<int64_t> starts_ns;  // starting_ns of each task
};

// All 0 without such messages, and if more than text logs is known about the application's tasks.
PythonLogTimes PythonTimesInLogs(const Application& application);

// Values that event logs and text logs must show of the start of Python workers.
inline constexpr double kMuchStarting = 0.4;  // of the workers' time
// Tasks; of fewer, the first starts and those of idle workers are a large part.
inline constexpr int64_t kStartsPerCore = 8;

// Whether a Python worker lives on after its task.
bool ReusesWorkers(const Application& application);

// How to start fewer Python workers, in a sentence.
std::string LongerTasksAdvice(const Application& application);

}  // namespace sparkprof
