// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sparkprof {

// Options of `sparkprof attach`. Each kind of target has its own file and one of the functions below, which return the
// exit code.
struct AttachRequest {
  int64_t pid = 0;
  std::vector<std::string> events;  // at least one
  int64_t interval = 0;             // ns, bytes or counts; 0 = the event's default
  int64_t duration_ns = 0;
  std::string output;                  // file, or folder with --all-spark; empty = standard output
  std::string format;                  // empty = derived from the output's name
  bool prints_top = false;             // the output was chosen for a terminal: print its name and the top functions
  std::string application;             // for --all-spark; empty = all
  std::vector<std::string> executors;  // for --all-spark; empty = all
  std::string plugin_jar;              // jar with async-profiler; empty = the installed one
};

int AttachToOneJvm(const AttachRequest& request);
// Ignores the request's PID.
int AttachToAllSpark(AttachRequest request);
int ListEventsOfJvm(const AttachRequest& request);
// Uses this machine's perf; works for any kind of process.
int AttachByPerf(const AttachRequest& request);

}  // namespace sparkprof
