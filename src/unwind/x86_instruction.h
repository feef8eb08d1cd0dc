// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace sparkprof {

// The parts of an instruction of x86-64 that matter to the stack (Intel's manual, volume 2, chapter 2 and appendix A).
struct X86Instruction {
  static constexpr size_t kLongest = 15;

  size_t length = 0;      // 0 = not an instruction that is known
  bool is_plain = false;  // of the map of one-byte opcodes; otherwise `opcode` is that of another map
  bool is_jump_if = false;
  bool is_64 = false;               // REX.W
  bool has_base_extension = false;  // REX.B
  uint8_t opcode = 0;
  uint8_t mode = 0;          // of the ModRM byte, 3 = its operand is a register
  uint8_t reg = 0;           // its register
  uint8_t base = 0;          // its other register, or that of the address; 16 = none or not alone
  int64_t displacement = 0;  // of the address
  int64_t immediate = 0;     // the operand in the code; of a jump: from its end
};

// The instruction at the start of `bytes`, of which kLongest can be read.
X86Instruction DecodeX86(const uint8_t* bytes);

}  // namespace sparkprof
