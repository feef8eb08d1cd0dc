// SPDX-License-Identifier: Apache-2.0
#include "native_names.h"

#include <utility>

#include "unwind/function_symbols.h"

namespace sparkprof {

std::string NativeNames::Of(std::string_view path, uint64_t address) {
  if (path.empty()) return "[unknown]";
  auto file = files_.find(path);
  if (file == files_.end()) {
    if (symbols_ > kMaxSymbols) {
      files_.clear();
      symbols_ = 0;
    }
    auto opened = FunctionSymbols::Open(std::string(path));
    std::optional<FunctionSymbols> symbols;
    if (opened) symbols = std::move(*opened);
    if (symbols) symbols_ += symbols->Count();
    file = files_.emplace(std::string(path), std::move(symbols)).first;
  }
  const std::string symbol = file->second ? file->second->SymbolAt(address) : std::string();
  if (!symbol.empty()) return FunctionOfSymbol(symbol);
  return "[" + std::string(path.substr(path.rfind('/') + 1)) + "]";
}

}  // namespace sparkprof
