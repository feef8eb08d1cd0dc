// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace sparkprof {

// Values that event logs and text logs must show of the files of a scan.
inline constexpr int64_t kManyFiles = 500;
// Bytes; Spark plans as if opening a file took as long as reading these.
inline constexpr int64_t kSmallFile = int64_t{4} << 20;
inline constexpr int64_t kNsPerFile = 3'000'000;  // to open, flush and close one for writing, on a local disk

// How many files these bytes should have, and how to get there.
std::string CompactAdvice(int64_t cores, int64_t bytes);

}  // namespace sparkprof
