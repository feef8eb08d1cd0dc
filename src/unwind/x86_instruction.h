// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

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

}  // namespace sparkprof
