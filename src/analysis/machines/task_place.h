// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

}  // namespace sparkprof
