// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "model/segment.h"

namespace sparkprof {

// Where a test may have its own.
using ClockReader = std::function<ClockAnchor()>;

// Reads both clocks as nearly at once as a few attempts allow.
ClockAnchor ReadClocks();

// By both clocks as they are now.
int64_t ToEpoch(int64_t monotonic_ns);

}  // namespace sparkprof
