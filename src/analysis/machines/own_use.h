// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// CPU that an application's processes used while the tasks of a stage ran, on the executors where they ran.
struct OwnUse {
  double cores = 0;       // mean, of all processes of these executors
  double task_slots = 0;  // of these executors
  double cpus = 0;        // that they may use, at most their slots; their slots where it was not recorded
};

// Nothing if the processes' CPU time or the executors' slots were not recorded. `tasks` are rows.
std::optional<OwnUse> OwnUseOfTasks(const Application& application, const std::vector<uint32_t>& tasks);

}  // namespace sparkprof
