// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "unwind/function_symbols.h"

namespace sparkprof {
namespace {

constexpr std::string_view kParts[] = {".cold",      ".constprop.", ".isra.",     ".part.",
                                       ".lto_priv.", ".llvm.",      ".localalias"};
// "h" and 16 hexadecimal digits: last part of a Rust symbol.
constexpr size_t kRustHash = 17;

struct Escape {
  std::string_view text;
  std::string_view meaning;
};
constexpr Escape kRustEscapes[] = {{"$LT$", "<"},  {"$GT$", ">"},  {"$RF$", "&"},  {"$BP$", "*"},  {"$C$", ","},
                                   {"$LP$", "("},  {"$RP$", ")"},  {"$u20$", " "}, {"$u27$", "'"}, {"$u5b$", "["},
                                   {"$u5d$", "]"}, {"$u7b$", "{"}, {"$u7d$", "}"}, {"$u7e$", "~"}, {"..", "::"}};

bool IsRustHash(std::string_view part) {
  return part.size() == kRustHash && part.front() == 'h' &&
         part.substr(1).find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string WithoutRustEscapes(std::string_view name) {
  std::string plain;
  while (!name.empty()) {
    const auto* const escape = std::find_if(std::begin(kRustEscapes), std::end(kRustEscapes),
                                            [&](const Escape& one) { return name.starts_with(one.text); });
    if (escape != std::end(kRustEscapes)) {
      plain += escape->meaning;
      name.remove_prefix(escape->text.size());
    } else {
      // A part that starts with an escape is preceded by an underscore.
      if (!name.starts_with("_$")) plain += name.front();
      name.remove_prefix(1);
    }
  }
  return plain;
}

// Strips parameters: "f(int) const" → "f".
std::string_view WithoutParameters(std::string_view name) {
  if (name.ends_with(" const")) name.remove_suffix(6);
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) {
      // Parameters inside the name belong to a function type or cast operator, so only those at the end are removed.
      return i == 0 ? name : name.substr(0, i);
    }
  }
  return name;
}

}  // namespace

std::string FunctionOfSymbol(std::string_view symbol) {
  for (const std::string_view part : kParts) symbol = symbol.substr(0, symbol.find(part));
  if (const size_t version = symbol.find('@'); version != std::string_view::npos) symbol = symbol.substr(0, version);
  if (std::optional<std::string> path = RustPathOfSymbol(symbol)) return std::move(*path);
  if (!symbol.starts_with("_Z")) return std::string(symbol);
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(std::string(symbol).c_str(), nullptr, nullptr, nullptr), &std::free);
  if (!demangled) return std::string(symbol);
  const std::string_view name(demangled.get());
  if (const size_t last = name.rfind("::"); last != std::string_view::npos && IsRustHash(name.substr(last + 2))) {
    return WithoutRustEscapes(name.substr(0, last));
  }
  return std::string(WithoutParameters(name));
}

}  // namespace sparkprof
