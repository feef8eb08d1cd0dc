// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "unwind/function_symbols.h"

namespace sparkprof {

// Names of native functions, from the files of programs and libraries. Keeps their symbols for the next question, in a
// limited amount of memory. Not thread-safe.
class NativeNames {
 public:
  // "arrow::Buffer::Copy"; "[libfoo.so]" where the file has no symbol for the address; "[unknown]" without a path.
  std::string Of(std::string_view path, uint64_t address);

 private:
  static constexpr size_t kMaxSymbols = 3'000'000;  // 16 bytes each

  std::map<std::string, std::optional<FunctionSymbols>, std::less<>> files_;  // nothing: it has no symbols
  size_t symbols_ = 0;
};

}  // namespace sparkprof
