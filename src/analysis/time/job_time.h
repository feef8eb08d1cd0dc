// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "model/application.h"

namespace sparkprof {

// The part of a time (ns since the Unix epoch) in which at least one job ran. A job without an end still runs.
int64_t JobTimeBetween(const Application& application, int64_t begin_ns, int64_t end_ns);

}  // namespace sparkprof
