// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Whether Spark counted the CPU time of tasks, as it does since 2.1. A few microseconds do not count: each task needs
// more to start, and some tools write milliseconds there.
bool HasCpuTime(const Application& application);

}  // namespace sparkprof
