// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Adds to BytesReadFromFiles. For readers of mapped files, which no source counts, after they have read a part.
void CountBytesRead(uint64_t bytes);

}  // namespace sparkprof
