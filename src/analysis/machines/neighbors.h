// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "model/application.h"

namespace sparkprof {

struct NeighborUse {
  const Neighbor* neighbor = nullptr;
  double cores = 0;                  // mean
  double disk_bytes_per_second = 0;  // read and written, mean
};

// Neighbors on the hosts of `executors` (rows; empty = all) with the highest CPU usage, then disk usage, without
// negligible ones. At most kMaxNeighbors.
std::vector<NeighborUse> NeighborsBetween(const Application& application, int64_t begin_ns, int64_t end_ns,
                                          const std::set<int32_t>& executors);

inline constexpr size_t kMaxNeighbors = 5;

// The neighbors while and where the tasks of a stage ran. `tasks` are rows.
std::vector<NeighborUse> NeighborsOfTasks(const Application& application, const std::vector<uint32_t>& tasks);

// Formats "on node7, application_1_0042 (user ana) used 3.1 of 4 cores meanwhile" for the first of `uses` with
// considerable CPU usage; empty if there is none.
std::string NeighborText(const std::vector<NeighborUse>& uses);

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
