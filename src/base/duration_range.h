// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparkprof {

// An estimate as people read it: "17–27 s". Both ends have the unit of the higher one, and two digits where that is
// enough. A range that begins at 0 is "up to 27 s"; one without a visible width is a duration.
std::string FormatDurationRange(int64_t low_ns, int64_t high_ns);

}  // namespace sparkprof
