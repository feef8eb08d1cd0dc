// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "unwind/function_symbols.h"

namespace sparkprof {

// Names of native functions from the files of programs and libraries. Caches symbols within a memory limit. Not
// thread-safe.
class NativeNames {
 public:
  // Returns "arrow::Buffer::Copy"; "[libfoo.so]" if the file has no symbol for the address; "[unknown]" without a path.
  std::string Of(std::string_view path, uint64_t address);

 private:
  static constexpr size_t kMaxSymbols = 3'000'000;  // 16 bytes each

  std::map<std::string, std::optional<FunctionSymbols>, std::less<>> files_;  // nullopt = no symbols
  size_t symbols_ = 0;
};

}  // namespace sparkprof
