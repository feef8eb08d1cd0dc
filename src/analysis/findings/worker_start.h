// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "model/application.h"

namespace sparkprof {

// Values that event logs and text logs must show of the start of Python workers.
inline constexpr double kMuchStarting = 0.4;  // of the workers' time
// Tasks; of fewer, the first starts and those of idle workers are a large part.
inline constexpr int64_t kStartsPerCore = 8;

// Whether a Python worker lives on after its task.
bool ReusesWorkers(const Application& application);

// How to start fewer Python workers, in a sentence.
std::string LongerTasksAdvice(const Application& application);

}  // namespace sparkprof
