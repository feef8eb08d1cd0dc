// SPDX-License-Identifier: Apache-2.0

#include "unwind/machine_code.h"

namespace sparkprof {

// Only the own function jumps into the middle of the cold part.
uint64_t FindColdPart([[maybe_unused]] const UnwindIndex& index, [[maybe_unused]] uint64_t function,
                      [[maybe_unused]] UnwindMemory* memory) {
#if !defined(__aarch64__)
  constexpr uint64_t kMaxBytes = 256 << 10;
  UnwindRow row, other;
  if (!FindUnwindRow(index, function, memory, &row) || row.end - row.begin > kMaxBytes) return 0;
  for (uint64_t pc = row.begin; pc < row.end;) {
    uint8_t bytes[X86Instruction::kLongest];
    if (!memory->ReadTable(pc, bytes, sizeof bytes)) return 0;
    const X86Instruction code = DecodeX86(bytes);
    if (code.length == 0) return 0;
    pc += code.length;
    const bool is_jump = code.is_jump_if || (code.is_plain && (code.opcode & 0xFD) == 0xE9);  // near or short
    const uint64_t target = pc + static_cast<uint64_t>(code.immediate);
    if (!is_jump || (target >= row.begin && target < row.end)) continue;
    if (FindUnwindRow(index, target, memory, &other) && target != other.begin) return other.begin;
  }
#endif
  return 0;
}

}  // namespace sparkprof
