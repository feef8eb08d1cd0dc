// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "unwind/call_frames.h"
#include "unwind/memory.h"

namespace sparkprof {

// Derives a row for `pc` of a function without call frame information from its code: follows the instructions from `pc`
// to a return, and their effects on the stack pointer and callee-saved registers. The result is a guess: code after
// conditional jumps is tried before their targets, and other writes to registers are ignored. x86-64 only; returns
// false elsewhere, and if no return is found or the stack pointer changes in another way. Bounded work; does not
// allocate.
bool FindRowInCode(uint64_t pc, UnwindMemory* memory, UnwindRow* row);

}  // namespace sparkprof
