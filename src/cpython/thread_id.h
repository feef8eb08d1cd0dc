// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Offset of the OS thread ID in a pthread_t of this C library (the only source up to Python 3.10); 0 = not found.
uint32_t ThreadIdOffset();

}  // namespace sparkprof
