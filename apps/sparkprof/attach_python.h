// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "attach.h"

namespace sparkprof {

// The options that `sparkprof attach PID` has only with --python.
struct PythonAttachOptions {
  bool subprocesses = false;
  bool lines = true;  // one frame per line
};

// Samples, writes, prints a summary and returns the exit code. The request has one event, cpu or wall; its interval is
// in ns, and the duration 0 lasts until the process exits.
int AttachToPython(const AttachRequest& request, const PythonAttachOptions& options);

}  // namespace sparkprof
