// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpython/layout.h"
#include "cpython/python_memory.h"
#include "cpython/stack_walker.h"

namespace sparkprof {

// Line of the instruction at byte `instruction` by CPython's table of line numbers: co_lnotab (3.9), PEP 626 (3.10),
// the location table (3.11 and later). `first_line` where the table does not tell or is damaged.
int32_t LineOfInstruction(int minor, std::string_view table, int32_t first_line, int32_t instruction);

// What frames read like. Allocates nothing; 40 KB of its own. Not thread-safe.
class FrameReader {
 public:
  struct Text {
    std::string_view function;  // UTF-8: "f", "Class.method"; what encloses a local function is left out
    std::string_view file;      // UTF-8: co_filename, whole
    int32_t first_line = 0;     // where the function begins
    int32_t line = 0;           // where it is
  };

  // False when the code object or its text cannot be read or is none. The views hold until the next call.
  bool Read(const CPythonLayout& layout, PythonMemory* memory, const RawFrame& frame, Text* text);

 private:
  static constexpr size_t kMaxText = 1024;
  static constexpr size_t kMaxTable = 32 << 10;

  char function_[kMaxText];
  char file_[kMaxText];
  char characters_[kMaxText * 4];
  char table_[kMaxTable];
};

}  // namespace sparkprof
