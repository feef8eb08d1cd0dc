// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// With local-cluster, executors descend from the driver's JVM, so its agent watches their processes, too, and their CPU
// time and memory would count twice. Of each group of rows of `application`'s processes that are one process, keeps
// the row of the executor, with its series.
void DropRepeatedProcesses(const std::vector<std::vector<int32_t>>& groups, Application* application);

}  // namespace sparkprof
