// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Where and when tasks ran.
struct TaskPlace {
  std::set<int32_t> executors;  // rows of Application::executors
  int64_t begin_ns = 0;         // first launch; 0 = unknown
  int64_t end_ns = 0;           // last end
};

// `tasks` are rows.
TaskPlace PlaceOfTasks(const Application& application, const std::vector<uint32_t>& tasks);

// CPU usage of an application's processes while the tasks of a stage ran, on their executors.
struct OwnUse {
  double cores = 0;       // mean of all processes of these executors
  double task_slots = 0;  // task slots of these executors
  double cpus = 0;        // available CPUs, at most the slots; the slots if unknown
};

// nullopt if the processes' CPU time or the executors' slots were not recorded. `tasks` are rows.
std::optional<OwnUse> OwnUseOfTasks(const Application& application, const std::vector<uint32_t>& tasks);

}  // namespace sparkprof
