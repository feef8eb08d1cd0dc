// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

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

}  // namespace sparkprof
