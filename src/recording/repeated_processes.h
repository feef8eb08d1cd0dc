// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// In local-cluster mode, executors descend from the driver's JVM, so its agent records their processes, too, and CPU
// time and memory would count twice. Each group contains rows of `application`'s processes that are the same process;
// keeps only the executor's row, with its series.
void DropRepeatedProcesses(const std::vector<std::vector<int32_t>>& groups, Application* application);

}  // namespace sparkprof
