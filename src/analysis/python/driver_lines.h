// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analysis/selection/time_range.h"
#include "model/application.h"

namespace sparkprof {

// Weights of the lines of the driver's Python program that run at the times chosen, and not in a call of Spark.
struct DriverTimes {
  std::map<std::string, int64_t> by_cpu, by_wall;
};

DriverTimes TimesOfDriver(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

// Lines of the driver's Python program that run at the times chosen, and not in a call of Spark: by their CPU time, or
// by their wall-clock time where they use almost no CPU. Most first, at most three.
std::vector<std::string> DriverLines(const Application& application,
                                     const std::function<bool(int64_t time_ns)>& is_chosen);

// How the driver's Python program sleeps at the times chosen: a line of its own waits, and no library below it.
struct DriverSleep {
  bool is_most = false;  // of that time
  // One line of its main module leads to it, as in a loop; a person who pauses at a prompt does so at many lines.
  bool is_of_one_line = false;
};

DriverSleep SleepOfDriver(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

// The line of the driver's Python program that takes most of the time chosen, also in a call of Spark; or empty.
std::string LineThatCallsSpark(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

// For each of these times, in order and apart from each other: the wall-clock time of each line of the driver's
// program, in Python or on the main thread of its JVM, also in a call of Spark. Together at most the time; without
// lines of fewer than kLeastSamplesOfLine samples.
using LineTimes = std::map<std::string, int64_t>;
std::vector<LineTimes> LinesOfTimes(const Application& application, const std::vector<TimeRange>& times);

inline constexpr int64_t kLeastSamplesOfLine = 20;

}  // namespace sparkprof
