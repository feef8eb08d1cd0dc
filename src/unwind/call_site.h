// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "unwind/memory.h"

namespace sparkprof {

// Whether a direct or indirect call precedes `pc`, so that `pc` may be a return address. x86-64 only; returns false
// elsewhere.
bool IsBehindCall(uint64_t pc, UnwindMemory* memory);

}  // namespace sparkprof
