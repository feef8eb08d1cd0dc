// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/io/file.h"
#include "base/result.h"

namespace sparkprof {

// Functions in the symbol table of a program or library; of a stripped one, only those needed for linking. 16 bytes of
// memory per function; names stay in the file. All numbers in the file are validated.
class FunctionSymbols {
 public:
  static Result<FunctionSymbols> Open(const std::string& path);

  // The symbol whose code contains `address`, as in the file (mangled); empty if there is none.
  std::string SymbolAt(uint64_t address) const;

  size_t Count() const { return functions_.size(); }

 private:
  struct Function {
    uint64_t address;
    uint32_t size;  // 0 = unknown: extends to the next function
    uint32_t name;  // offset in the string table
  };

  FunctionSymbols(FileDescriptor file, uint64_t names, uint64_t names_bytes, std::vector<Function> functions)
      : file_(std::move(file)), names_(names), names_bytes_(names_bytes), functions_(std::move(functions)) {}

  FileDescriptor file_;
  uint64_t names_;  // file offset of the string table
  uint64_t names_bytes_;
  std::vector<Function> functions_;  // sorted by address
};

// Converts a symbol of C, C++ or Rust to the function's name in source code: without parameters and without suffixes of
// compiler-generated parts and copies (".cold", ".constprop.0").
std::string FunctionOfSymbol(std::string_view symbol);

// Demangles a symbol of Rust's mangling scheme v0 (RFC 2603: "_R…") to a path without lifetimes, crate hashes and type
// arguments of functions. nullopt if the symbol has another scheme or is damaged. Bounded work.
std::optional<std::string> RustPathOfSymbol(std::string_view symbol);

}  // namespace sparkprof
