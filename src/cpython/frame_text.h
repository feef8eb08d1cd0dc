// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cpython/layout.h"
#include "cpython/python_memory.h"
#include "cpython/stack_walker.h"

namespace sparkprof {

// Line of the instruction at byte `instruction`, from CPython's line table: co_lnotab (3.9), PEP 626 (3.10), the
// location table (3.11 and later). Returns `first_line` if the table is damaged or has no entry.
int32_t LineOfInstruction(int minor, std::string_view table, int32_t first_line, int32_t instruction);

// Reads the names and lines of frames. Does not allocate; 40 KB in size. Not thread-safe.
class FrameReader {
 public:
  struct Text {
    std::string_view function;  // UTF-8: "f", "Class.method"; without the enclosing functions of a local function
    std::string_view file;      // UTF-8: complete co_filename
    int32_t first_line = 0;     // first line of the function
    int32_t line = 0;           // current line
  };

  // Returns false if the code object or its text is unreadable or invalid. The views are valid until the next call.
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
