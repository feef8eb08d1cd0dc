// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "unwind/memory.h"
#include "unwind/registers.h"

namespace sparkprof {

// How to find the caller's registers at one place of a function: a row of its call frame information (DWARF 4, 6.4;
// LSB, 10.6).
struct UnwindRow {
  enum class Kind : uint8_t {
    kSame,            // unchanged
    kUndefined,       // lost
    kAtOffset,        // in memory, at CFA + value
    kOffset,          // CFA + value
    kRegister,        // in register `value`
    kAtExpression,    // in memory, at the value of the expression
    kExpression,      // the value of the expression
    kRegisterOffset,  // only of the CFA: register `number` + value
  };
  struct Rule {
    int32_t value = 0;   // of an expression: its address, from `begin`
    uint16_t size = 0;   // of an expression
    uint8_t number = 0;  // of a register
    Kind kind = Kind::kSame;
  };
  uint64_t begin = 0;  // of the function, 0 = unknown
  uint64_t end = 0;
  Rule cfa;  // canonical frame address: the stack pointer of the caller
  Rule rules[kRegisters];
  bool is_signal = false;  // a frame that the kernel made: its caller's pc is not behind a call
  bool is_guess = false;   // from code (code_row.h)
};

// The index of an object's call frame information: .eh_frame_hdr, sorted by address.
struct UnwindIndex {
  uint64_t header = 0;   // its address; 0 = none
  uint64_t entries = 0;  // address of the first pair
  uint64_t count = 0;
};

// False if the index at `header` is in a form that linkers do not make, or damaged.
bool ReadUnwindIndex(uint64_t header, UnwindMemory* memory, UnwindIndex* index);

// The row for `pc`, false if none covers it or the tables are damaged. Bounded work; does not allocate.
bool FindUnwindRow(const UnwindIndex& index, uint64_t pc, UnwindMemory* memory, UnwindRow* row);

}  // namespace sparkprof
