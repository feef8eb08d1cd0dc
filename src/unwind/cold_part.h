// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "unwind/call_frames.h"
#include "unwind/memory.h"

namespace sparkprof {

// Where the rest of a function is that the compiler moved away from its start because it found it to be rarely used;
// call frame information describes it as another function. 0 = there is none. x86-64 only: 0 elsewhere.
uint64_t FindColdPart(const UnwindIndex& index, uint64_t function, UnwindMemory* memory);

}  // namespace sparkprof
