// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/application.h"

namespace sparkprof {

// The time of an application without a task, and what it was for.
struct DriverPauses {
  int64_t all_ns = 0;
  std::map<std::string, int64_t> by_job;   // "before toPandas at job.py:19"
  std::map<std::string, int64_t> by_line;  // of the driver's Python program, by its wall-clock samples
};

DriverPauses PausesOf(const Application& application);

}  // namespace sparkprof
