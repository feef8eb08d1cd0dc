// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Where a pthread_t of this C library keeps the OS thread id (up to Python 3.10 nothing else knows it); 0 = not found.
uint32_t ThreadIdOffset();

}  // namespace sparkprof
