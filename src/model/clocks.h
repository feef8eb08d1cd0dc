// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/segment.h"

namespace sparkprof {

// Reads both clocks as nearly at once as a few attempts allow.
ClockAnchor ReadClocks();

// By both clocks as they are now.
int64_t ToEpoch(int64_t monotonic_ns);

}  // namespace sparkprof
