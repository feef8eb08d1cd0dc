// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sparkprof {

inline constexpr size_t kManyQueriesRead = 3;  // queries that read the same data

// The saving of a cache for queries that take these times. The part that they share takes at most as long as the
// fastest of them: those that take longest, in the number that saves most.
int64_t TimeInCommon(std::vector<int64_t> times_ns);

}  // namespace sparkprof
