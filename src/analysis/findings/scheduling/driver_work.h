// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Work that Spark or a library does for the program between jobs, and how to reduce it.
struct DriverWork {
  std::string what;            // "Spark analyzes plans"
  std::string change;          // a sentence
  bool is_start = false;       // once per process, whatever the job changes
  bool is_of_library = false;  // its algorithm, which the program only calls
};

// A library's own computation on the driver: "Spark ML: PCA.fit".
DriverWork WorkOfLibrary(const std::string& operation);

// The work with the most CPU time in the driver's calls of Spark, otherwise of a library, at the chosen times, if it
// takes at least a fifth of `time_ns`; or the start of code that never ran before, if it takes at least half.
std::optional<DriverWork> WorkForProgram(const Application& application, int64_t time_ns,
                                         const std::function<bool(int64_t time_ns)>& is_chosen);

}  // namespace sparkprof
