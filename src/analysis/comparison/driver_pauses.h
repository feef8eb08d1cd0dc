// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "model/application.h"

namespace sparkprof {

// Time of an application without a task, by what follows it.
struct DriverPauses {
  int64_t all_ns = 0;
  std::map<std::string, int64_t> by_job;   // "before toPandas at job.py:19"
  std::map<std::string, int64_t> by_line;  // by line of the driver's Python program, from wall-clock samples
};

DriverPauses PausesOf(const Application& application);

}  // namespace sparkprof
