// SPDX-License-Identifier: Apache-2.0
#include <cstddef>

#include "unwind/machine_code.h"

namespace sparkprof {
namespace {

#if !defined(__aarch64__)
constexpr size_t kLongestCall = 7;  // without a prefix, which does not change the lengths

// Returns the length of an indirect call (FF /2: Intel's manual, volume 2, chapter 2.1), given its second byte `modes`
// and its third byte `scale`, or 0 if the instruction is not one.
size_t LengthOfIndirectCall(uint8_t modes, uint8_t scale) {
  if ((modes >> 3 & 7) != 2) return 0;
  const int mode = modes >> 6, base = modes & 7;
  if (mode == 3) return 2;
  const bool has_scale = base == 4;
  const size_t length = has_scale ? 3 : 2;
  if (mode == 1) return length + 1;
  const bool is_absolute = mode == 0 && (has_scale ? (scale & 7) == 5 : base == 5);
  return mode == 2 || is_absolute ? length + 4 : length;
}
#endif

}  // namespace

bool IsBehindCall(uint64_t pc, UnwindMemory* memory) {
#if defined(__aarch64__)
  static_cast<void>(pc);
  static_cast<void>(memory);
  return false;
#else
  uint8_t bytes[kLongestCall];
  if (pc < sizeof bytes || !memory->ReadTable(pc - sizeof bytes, bytes, sizeof bytes)) return false;
  if (bytes[kLongestCall - 5] == 0xE8) return true;
  for (size_t length = 2; length <= kLongestCall; ++length) {
    const uint8_t* const call = bytes + kLongestCall - length;
    if (call[0] == 0xFF && LengthOfIndirectCall(call[1], length > 2 ? call[2] : 0) == length) return true;
  }
  return false;
#endif
}

}  // namespace sparkprof
