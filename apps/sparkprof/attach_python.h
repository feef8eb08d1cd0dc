// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "attach.h"

namespace sparkprof {

// Options of `sparkprof attach PID` for --python only.
struct PythonAttachOptions {
  bool subprocesses = false;
  bool lines = true;  // one frame per line
};

// Samples, writes, prints a summary and returns the exit code. The request has one event, cpu or wall, with an interval
// in ns; duration 0 means until the process exits.
int AttachToPython(const AttachRequest& request, const PythonAttachOptions& options);

}  // namespace sparkprof
