// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "model/segment.h"

namespace sparkprof {

// Replaceable in tests.
using ClockReader = std::function<ClockAnchor()>;

// Reads both clocks as close together as possible within a few attempts.
ClockAnchor ReadClocks();

// Converts with the current clocks.
int64_t ToEpoch(int64_t monotonic_ns);

}  // namespace sparkprof
