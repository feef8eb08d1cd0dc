// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Lines of the driver's Python program that run at the times chosen, and not in a call of Spark: by their CPU time, or
// by their wall-clock time where they use almost no CPU. Most first, at most three.
std::vector<std::string> DriverLines(const Application& application,
                                     const std::function<bool(int64_t time_ns)>& is_chosen);

}  // namespace sparkprof
