// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparkprof {

// Formats an estimate: "17–27 s". Both ends have the unit of the higher one, with two digits if sufficient. A range
// from 0 is "up to 27 s"; one without a visible width is a single duration.
std::string FormatDurationRange(int64_t low_ns, int64_t high_ns);

}  // namespace sparkprof
