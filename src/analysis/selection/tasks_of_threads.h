// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/application.h"

namespace sparkprof {

// Samples of a profile that another profiler took of the whole host.
struct AssignedSamples {
  int64_t of_processes = 0;  // in processes of the application
  int64_t of_tasks = 0;      // of them, while their thread ran a task
};

// Gives the samples of `profile` the tasks of an application: a sample belongs to the task that its thread ran at its
// time. Threads are known by process ID and thread ID, and their tasks by the application's own samples; a thread ID
// that executors of several hosts have is unknown. The profile must have threads, and times since the Unix epoch.
AssignedSamples AssignTasks(const Application& application, Profile* profile);

}  // namespace sparkprof
