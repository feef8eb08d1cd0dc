// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cpython/layout.h"

namespace sparkprof {

// Symbol addresses in an ELF file (64-bit, this machine's byte order), relative to its load address.
struct ElfSymbols {
  uint64_t load_address = 0;  // lowest address of the loadable segments
  uint64_t runtime = 0;       // _PyRuntime, or the section .PyRuntime; 0 = missing
  uint64_t code_type = 0;     // PyCode_Type
  uint64_t version = 0;       // Py_Version
};
Result<ElfSymbols> ReadElfSymbols(std::string_view bytes, const std::string& name);

// A running CPython and the addresses of its structures.
struct PythonProcess {
  int64_t pid = 0;
  std::string binary;      // the executable or libpython
  std::string version;     // "3.11"
  uint64_t runtime = 0;    // address of _PyRuntime
  uint64_t code_type = 0;  // address of PyCode_Type; 0 = unknown
  CPythonLayout layout;
};

// Errors distinguish: no such process, not CPython, unsupported version, not permitted.
Result<PythonProcess> FindPython(int64_t pid);

}  // namespace sparkprof
