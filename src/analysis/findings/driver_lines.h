// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

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

// Whether the driver's Python program sleeps at the times chosen: a line of its own waits, and no library below it.
bool DriverSleeps(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

// The line of the driver's Python program that takes most of the time chosen, also in a call of Spark; or empty.
std::string LineThatCallsSpark(const Application& application, const std::function<bool(int64_t time_ns)>& is_chosen);

}  // namespace sparkprof
