// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/findings/finding.h"
#include "analysis/owners/cpu_owners.h"
#include "model/application.h"

namespace sparkprof {

struct StageNow {
  int64_t id = -1;
  int64_t attempt = 0;
  std::string work;  // "scan sales → filter, collect at job.py:60"
  RunStatus status = RunStatus::kRunning;
  int64_t running = 0;
  int64_t done = 0;    // number of successful tasks
  int64_t failed = 0;  // number of failed or killed tasks
  int64_t planned = 0;
  int64_t elapsed_ns = 0;  // from its submission until now or its end; 0 = unknown
  int64_t oldest_ns = 0;   // run time of its oldest running task
};

struct LineNow {
  std::string file;  // without folders
  uint32_t line = 0;
  std::string function;
  bool is_python = false;
  int64_t cpu_ns = 0;
};

struct CurrentWork {
  std::string id, name, spark_version;
  bool ended = false;
  size_t executors = 0;                       // number of executors that can run tasks
  int64_t now_ns = 0;                         // since the Unix epoch; 0 = unknown
  int64_t elapsed_ns = 0;                     // since its start
  int64_t window_ns = 0;                      // time covered by owners and lines; 0 = since the start
  int64_t running = 0, done = 0, failed = 0;  // numbers of tasks
  int64_t cores = 0;                          // sum over all executors
  std::vector<StageNow> stages;               // running ones first, then ended ones, latest first
  CpuOwners owners;                           // from CPU samples; `processes_ns` only without a window
  std::vector<LineNow> lines;                 // most expensive first; a sample counts for its innermost line
  std::vector<Finding> findings;              // from all data so far
};

// `window_ns`: time covered by owners and lines; 0 = all. Consumes the application and drops samples outside of the
// window.
CurrentWork WorkNow(Application application, int64_t window_ns);

}  // namespace sparkprof
