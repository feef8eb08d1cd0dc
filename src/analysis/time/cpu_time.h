// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Whether Spark counted the CPU time of tasks: it does so from 2.1 on. A few microseconds are no count: each task takes
// more to start, and some tools write milliseconds there.
bool HasCpuTime(const Application& application);

}  // namespace sparkprof
