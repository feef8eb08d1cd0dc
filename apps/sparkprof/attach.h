// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparkprof {

// The options of `sparkprof attach`. Each kind of target has its own file and one of the functions below, which returns
// the exit code.
struct AttachRequest {
  int64_t pid = 0;
  std::vector<std::string> events;  // at least one
  int64_t interval = 0;             // ns, bytes or counts; 0 = the event's default
  int64_t duration_ns = 0;
  std::string output;                  // file, for --all-spark a folder; empty = standard output
  std::string format;                  // empty = by the output's name
  bool prints_top = false;             // the output was chosen for a terminal: print its name and the top functions
  std::string application;             // of --all-spark; empty = all
  std::vector<std::string> executors;  //
  std::string plugin_jar;              // where async-profiler is; empty = where it was installed
};

int AttachToOneJvm(const AttachRequest& request);
// Ignores the request's pid.
int AttachToAllSpark(AttachRequest request);
int ListEventsOfJvm(const AttachRequest& request);
// By the perf tool of this machine; the process may be of any kind.
int AttachByPerf(const AttachRequest& request);

}  // namespace sparkprof
