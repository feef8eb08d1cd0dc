// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "model/application.h"

namespace sparkprof {

// Work that Spark does for the program while no job runs, and how to have less of it.
struct DriverWork {
  const char* what;    // "analyzes plans"
  const char* change;  // a sentence
};

// The work that takes most of the CPU time of the driver's calls of Spark, and at least a fifth of `time_ns`, at the
// times chosen; null = none that is known.
const DriverWork* WorkForProgram(const Application& application, int64_t time_ns,
                                 const std::function<bool(int64_t time_ns)>& is_chosen);

}  // namespace sparkprof
