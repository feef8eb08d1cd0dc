// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "unwind/memory.h"
#include "unwind/registers.h"

namespace sparkprof {

// How to find the caller's registers at one address of a function: a row of its call frame information (DWARF 4, 6.4;
// LSB, 10.6).
struct UnwindRow {
  enum class Kind : uint8_t {
    kSame,            // unchanged
    kUndefined,       // value is lost
    kAtOffset,        // in memory, at CFA + value
    kOffset,          // CFA + value
    kRegister,        // in register `value`
    kAtExpression,    // in memory, at the value of the expression
    kExpression,      // the value of the expression
    kRegisterOffset,  // for the CFA only: register `number` + value
  };
  struct Rule {
    int32_t value = 0;   // for an expression: its offset from `begin`
    uint16_t size = 0;   // for an expression
    uint8_t number = 0;  // for a register
    Kind kind = Kind::kSame;
  };
  uint64_t begin = 0;  // start of the function; 0 = unknown
  uint64_t end = 0;
  Rule cfa;  // canonical frame address: the stack pointer of the caller
  Rule rules[kRegisters];
  bool is_signal = false;  // signal frame created by the kernel: its caller's pc is not after a call
  bool is_guess = false;   // derived from code (machine_code.h)
};

// The index of an object's call frame information, .eh_frame_hdr, sorted by address.
struct UnwindIndex {
  uint64_t header = 0;   // address of .eh_frame_hdr; 0 = none
  uint64_t entries = 0;  // address of the first pair
  uint64_t count = 0;
};

// Returns false if the index at `header` is damaged or in a form that linkers do not produce.
bool ReadUnwindIndex(uint64_t header, UnwindMemory* memory, UnwindIndex* index);

// Finds the row for `pc`. Returns false if none covers it or the tables are damaged. Bounded work; does not allocate.
bool FindUnwindRow(const UnwindIndex& index, uint64_t pc, UnwindMemory* memory, UnwindRow* row);

// Evaluates a DWARF expression (DWARF 4, 2.5) of call frame information: PLT entries, functions that align their stack,
// signal frames. nullopt if an operation is unsupported, needs an unknown register, or the expression does not end.
// `initial`: initial value on its stack.
std::optional<uint64_t> EvaluateExpression(std::string_view expression, const Registers& registers,
                                           std::optional<uint64_t> initial, UnwindMemory* memory);

}  // namespace sparkprof
