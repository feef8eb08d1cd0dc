// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/application.h"

namespace sparkprof {

enum class ThreadKind : uint8_t { kOther = 0, kTask, kGc, kJit, kVm };

std::string_view ThreadKindName(ThreadKind kind);  // "other", "task", "gc", "jit", "vm", as in docs/report-data.md

// Whether `name` contains `part`, or its first 15 bytes, which the kernel keeps.
bool MatchesThreadName(std::string_view name, std::string_view part);

// Based on the names of HotSpot and Spark.
ThreadKind KindOfThreadName(std::string_view name);

// One entry per thread of `application`: a thread that ran a task is a task thread; others are classified by HotSpot's
// names.
std::vector<ThreadKind> KindsOfThreads(const Application& application);

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
