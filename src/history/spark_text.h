// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparkprof {

// Number formats of Spark's pages and SQL metrics.

std::string SparkBytes(int64_t bytes);      // "3.4 MiB"; switches to a unit at 2 of it
std::string SparkDuration(int64_t millis);  // "12 ms", "3.4 s", "5.6 m", "7.89 h"
std::string SparkInteger(int64_t number);   // "1,234,567"

// The task with the highest value of an SQL metric.
struct MetricMaximum {
  int64_t value = 0;
  int64_t stage = 0;
  int64_t attempt = 0;
  int64_t task = 0;
};

// Values of one SQL metric: one per task index of its stages (0 if a task has none), and the driver's.
struct MetricValues {
  std::vector<int64_t> values;
  int64_t zeros = 0;                       // number of tasks without a value
  const MetricMaximum* maximum = nullptr;  // null = the maximum is the driver's
};

// Formats a metric of type sum, size, timing, nsTiming or average.
std::string MetricText(const std::string& type, MetricValues metric);

}  // namespace sparkprof
