// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparkprof {

// The options of `sparkprof attach PID --python`.
struct PythonAttachRequest {
  int64_t pid = 0;
  bool subprocesses = false;
  int64_t duration_ns = 0;
  int64_t interval_ns = 0;
  std::string event;        // "cpu" or "wall"
  bool lines = true;        // one frame per line
  bool prints_top = false;  // as in AttachRequest
  std::string output;       // .svg, .sprof, else collapsed; empty = standard output
};

// Samples, writes, prints a summary and returns the exit code.
int AttachToPython(const PythonAttachRequest& request);

}  // namespace sparkprof
