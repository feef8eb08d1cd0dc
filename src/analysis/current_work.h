// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/owners/cpu_owners.h"
#include "model/application.h"

namespace sparkprof {

// A stage attempt with tasks that run now, or that ran last.
struct StageNow {
  int64_t id = -1;
  int64_t attempt = 0;
  std::string work;  // "scan sales → filter, collect at job.py:60"
  RunStatus status = RunStatus::kRunning;
  int64_t running = 0;  // tasks
  int64_t done = 0;     // that succeeded
  int64_t failed = 0;   // or killed
  int64_t planned = 0;
  int64_t elapsed_ns = 0;  // since its submission, until now or its end; 0 = unknown
  int64_t oldest_ns = 0;   // how long its oldest running task has run
};

// A line of the user's program, and the CPU time in and below it.
struct LineNow {
  std::string file;  // without folders
  uint32_t line = 0;
  std::string function;
  bool is_python = false;
  int64_t cpu_ns = 0;
};

// An application at a glance, as of the last thing that is known about it.
struct CurrentWork {
  std::string id, name, spark_version;
  bool ended = false;
  size_t executors = 0;                       // that can run tasks
  int64_t now_ns = 0;                         // since the Unix epoch; 0 = unknown
  int64_t elapsed_ns = 0;                     // since its start
  int64_t window_ns = 0;                      // of owners and lines; 0 = since the start
  int64_t running = 0, done = 0, failed = 0;  // tasks
  int64_t cores = 0;                          // of all executors
  std::vector<StageNow> stages;               // running ones first, then those that ended, the latest first
  CpuOwners owners;                           // of CPU samples; `processes_ns` only without a window
  std::vector<LineNow> lines;                 // the most expensive first; a sample counts for one, the innermost
  std::vector<Finding> findings;              // of all that is known so far
};

// `window_ns`: how far owners and lines look back; 0 = all. Takes the application, whose samples outside of the window
// go.
CurrentWork WorkNow(Application application, int64_t window_ns);

}  // namespace sparkprof
