// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "unwind/call_frames.h"
#include "unwind/memory.h"

namespace sparkprof {

// Returns the address of the rarely used part that the compiler moved away from a function, or 0 if there is none. Call
// frame information describes that part as a separate function. x86-64 only; returns 0 elsewhere.
uint64_t FindColdPart(const UnwindIndex& index, uint64_t function, UnwindMemory* memory);

}  // namespace sparkprof
