// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Offset of the OS thread ID in this C library's pthread_t (the only source up to Python 3.10); 0 = not found.
uint32_t ThreadIdOffset();

}  // namespace sparkprof
