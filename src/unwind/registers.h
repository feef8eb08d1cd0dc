// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Registers tracked by unwinding, with DWARF numbers (System V ABI supplements of x86-64 and aarch64).
#if defined(__aarch64__)
inline constexpr int kRegisters = 32;  // x0 to x30, sp
inline constexpr int kFramePointer = 29;
inline constexpr int kStackPointer = 31;
inline constexpr int kReturnAddress = 30;
inline constexpr bool kReturnsToRegister = true;  // leaf functions do not save the return address
#else
inline constexpr int kRegisters = 17;
inline constexpr int kFramePointer = 6;
inline constexpr int kStackPointer = 7;
inline constexpr int kReturnAddress = 16;
inline constexpr bool kReturnsToRegister = false;  // each call saves the return address
#endif

// Registers of a thread in one of its frames.
struct Registers {
  uint64_t pc = 0;
  uint64_t values[kRegisters] = {};
  uint64_t known = 0;  // one bit per register

  bool Has(int number) const { return (known >> number & 1) != 0; }
  void Set(int number, uint64_t value) {
    values[number] = value;
    known |= uint64_t{1} << number;
  }
};

}  // namespace sparkprof
