// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Adds to BytesReadFromFiles: for readers of mapped files, which no source counts, when they are done with a part.
void CountBytesRead(uint64_t bytes);

}  // namespace sparkprof
