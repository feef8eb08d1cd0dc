// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/result.h"

namespace sparkprof {

// The functions that a program or library names: its symbol table, or the part of it that the linker needs, where it is
// stripped. 16 bytes of memory per function; names stay in the file. Trusts no number in the file.
class FunctionSymbols {
 public:
  static Result<FunctionSymbols> Open(const std::string& path);

  // The symbol whose code contains `address`, as it is in the file (mangled); empty if none does.
  std::string SymbolAt(uint64_t address) const;

  size_t Count() const { return functions_.size(); }

 private:
  struct Function {
    uint64_t address;
    uint32_t size;  // 0 = unknown: up to the next
    uint32_t name;  // offset in the names
  };

  FunctionSymbols(FileDescriptor file, uint64_t names, uint64_t names_bytes, std::vector<Function> functions)
      : file_(std::move(file)), names_(names), names_bytes_(names_bytes), functions_(std::move(functions)) {}

  FileDescriptor file_;
  uint64_t names_;  // their offset in the file
  uint64_t names_bytes_;
  std::vector<Function> functions_;  // by address
};

}  // namespace sparkprof
