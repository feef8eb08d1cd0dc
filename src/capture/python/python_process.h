// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cpython/layout.h"

namespace sparkprof {

// Addresses that an ELF file (64-bit, this machine's byte order) gives its symbols; relative to where it is loaded.
struct ElfSymbols {
  uint64_t load_address = 0;  // lowest address that the file asks for
  uint64_t runtime = 0;       // _PyRuntime, or the section .PyRuntime; 0 = not there
  uint64_t code_type = 0;     // PyCode_Type
  uint64_t version = 0;       // Py_Version
};
Result<ElfSymbols> ReadElfSymbols(std::string_view bytes, const std::string& name);

// A running CPython and where its structures lie.
struct PythonProcess {
  int64_t pid = 0;
  std::string binary;      // the program or libpython
  std::string version;     // "3.11"
  uint64_t runtime = 0;    // address of _PyRuntime
  uint64_t code_type = 0;  // of PyCode_Type, 0 = not known
  CPythonLayout layout;
};

// Errors say whether the process is gone, is no CPython, is one whose structures are not known, or may not be read.
Result<PythonProcess> FindPython(int64_t pid);

}  // namespace sparkprof
