// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/samples/profile.h"

namespace sparkprof {

// A range of epoch times; nullopt = unlimited.
struct HeldRange {
  std::optional<int64_t> from_ns, to_ns;
};

// Sets the samples of Event::kPythonLive: the memory that the Python processes of these rows of `profile->samples` held
// at the end of the bucket, within the range, in which they together held most. No effect without samples of
// allocations.
void SetPythonHeld(const std::vector<uint32_t>& rows, const HeldRange& range, Profile* profile);
// For all rows and all times.
void SetPythonHeld(Profile* profile);

}  // namespace sparkprof
