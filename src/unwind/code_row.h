// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "unwind/call_frames.h"
#include "unwind/memory.h"

namespace sparkprof {

// A row for `pc` of a function without call frame information, from its code: follows the instructions from `pc` to a
// return, and what they do to the stack pointer and to the registers that a function must restore. A guess: the code
// behind conditional jumps is tried before their targets, and other writes to registers are not noticed. x86-64 only:
// false elsewhere, and where no return is found or the stack pointer changes in another way. Bounded work; does not
// allocate.
bool FindRowInCode(uint64_t pc, UnwindMemory* memory, UnwindRow* row);

}  // namespace sparkprof
