// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "model/application.h"
#include "model/application_index.h"

namespace sparkprof {

// Rows `begin` to `end` of the application's tasks as a segment's columns; strings go to the segment's own table.
void PutTasks(const Application& application, size_t begin, size_t end, Segment* segment);

// The inverse. Makes the rows, stages and executors that are missing; values that a task cannot have are left out.
void TakeTasks(const Segment& segment, Application* application, ApplicationIndex* index);

}  // namespace sparkprof
