// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/legacy_pprof/legacy_profile.h"

namespace sparkprof {

// The CPU profile of gperftools: words of 4 or 8 bytes in either byte order. The header is 0, 3, 0 (1 for Java), the
// period in µs, 0; each sample is its count, its depth and that many addresses, leaf first; 0, 1, 0 ends them. A memory
// map as text follows, or for Java the names of the addresses.
bool LooksLikeCpuProfile(std::string_view head);
Result<void> ReadCpuProfile(std::string_view bytes, LegacyProfile* profile);

// The handler may have a leaf twice: from the signal, and from unwinding, where it was taken for a caller's.
void RemoveRepeatedLeaves(LegacyProfile* profile);

}  // namespace sparkprof
