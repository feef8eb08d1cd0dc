// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/application.h"

namespace sparkprof {

// Samples of a profile that another profiler took of the whole host.
struct AssignedSamples {
  int64_t of_processes = 0;  // samples in processes of the application
  int64_t of_tasks = 0;      // part of them with a task on their thread
};

// Assigns an application's tasks to the samples of `profile`: a sample belongs to the task that its thread was running.
// Threads are identified by process ID and thread ID, and their tasks by the application's own samples; a thread ID on
// several hosts is ambiguous and ignored. The profile must have threads, and times since the Unix epoch.
AssignedSamples AssignTasks(const Application& application, Profile* profile);

}  // namespace sparkprof
