// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "unwind/call_frames.h"
#include "unwind/memory.h"

namespace sparkprof {

// Parts of an x86-64 instruction that affect the stack (Intel's manual, volume 2, chapter 2 and appendix A).
struct X86Instruction {
  static constexpr size_t kLongest = 15;

  size_t length = 0;      // 0 = unknown instruction
  bool is_plain = false;  // one-byte opcode map; otherwise `opcode` belongs to another map
  bool is_jump_if = false;
  bool is_64 = false;               // REX.W
  bool has_base_extension = false;  // REX.B
  uint8_t opcode = 0;
  uint8_t mode = 0;          // mode of the ModRM byte; 3 = its operand is a register
  uint8_t reg = 0;           // register in the ModRM byte
  uint8_t base = 0;          // other register, or base register of the address; 16 = none or with an index
  int64_t displacement = 0;  // displacement of the address
  int64_t immediate = 0;     // immediate operand; for a jump: relative to its end
};

// Decodes the instruction at `bytes`; kLongest bytes must be readable.
X86Instruction DecodeX86(const uint8_t* bytes);

// Derives a row for `pc` of a function without call frame information from its code: follows the instructions from `pc`
// to a return, and their effects on the stack pointer and callee-saved registers. The result is a guess: code after
// conditional jumps is tried before their targets, and other writes to registers are ignored. x86-64 only; returns
// false elsewhere, and if no return is found or the stack pointer changes in another way. Bounded work; does not
// allocate.
bool FindRowInCode(uint64_t pc, UnwindMemory* memory, UnwindRow* row);

// Whether a direct or indirect call precedes `pc`, so that `pc` may be a return address. x86-64 only; returns false
// elsewhere.
bool IsBehindCall(uint64_t pc, UnwindMemory* memory);

// Returns the address of the rarely used part that the compiler moved away from a function, or 0 if there is none. Call
// frame information describes that part as a separate function. x86-64 only; returns 0 elsewhere.
uint64_t FindColdPart(const UnwindIndex& index, uint64_t function, UnwindMemory* memory);

}  // namespace sparkprof
