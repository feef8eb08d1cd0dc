// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "model/application.h"
#include "model/application_index.h"

namespace sparkprof {

// Writes rows `begin` to `end` of the application's tasks as columns of a segment. Adds strings to the segment's table.
void PutTasks(const Application& application, size_t begin, size_t end, Segment* segment);

// Inverse of PutTasks. Adds missing rows, stages and executors; skips invalid values.
void TakeTasks(const Segment& segment, Application* application, ApplicationIndex* index);

}  // namespace sparkprof
