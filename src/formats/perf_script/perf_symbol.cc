// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/perf_symbol.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/text/characters.h"

namespace sparkprof {
namespace {

// Rust's legacy mangling of characters that symbols cannot have.
constexpr std::pair<std::string_view, std::string_view> kRustEscapes[] = {
    {"$SP$", "@"},  {"$BP$", "*"},  {"$RF$", "&"},  {"$LT$", "<"},  {"$GT$", ">"},  {"$LP$", "("},   {"$RP$", ")"},
    {"$C$", ","},   {"$u7e$", "~"}, {"$u20$", " "}, {"$u27$", "'"}, {"$u3d$", "="}, {"$u5b$", "["},  {"$u5d$", "]"},
    {"$u7b$", "{"}, {"$u7d$", "}"}, {"$u3b$", ";"}, {"$u2b$", "+"}, {"$u21$", "!"}, {"$u22$", "\""},
};

constexpr size_t kRustHashSize = 17;  // "h" and 16 digits

bool EndsWithRustHash(std::string_view symbol) {
  if (symbol.size() < kRustHashSize) return false;
  const std::string_view hash = symbol.substr(symbol.size() - kRustHashSize);
  return hash.front() == 'h' && std::all_of(hash.begin() + 1, hash.end(), IsHexDigit);
}

}  // namespace

std::string_view WithoutPerfOffset(std::string_view symbol) {
  const size_t plus = symbol.rfind("+0x");
  if (plus == std::string_view::npos || !std::all_of(symbol.begin() + plus + 3, symbol.end(), IsHexDigit))
    return symbol;
  return symbol.substr(0, plus);
}

bool DemangleRust(std::string_view symbol, std::string* name) {
  if (!EndsWithRustHash(symbol)) return false;
  symbol.remove_suffix(kRustHashSize);
  if (symbol.ends_with("::")) symbol.remove_suffix(2);
  // A name may not begin with "$": the compiler puts "_" before it.
  if (symbol.starts_with("_$")) symbol.remove_prefix(1);
  name->clear();
  while (!symbol.empty()) {
    const size_t plain = std::min(symbol.find_first_of("$."), symbol.size());
    name->append(symbol.substr(0, plain));
    symbol.remove_prefix(plain);
    if (symbol.starts_with("..")) {
      name->append("::");
      symbol.remove_prefix(2);
    } else if (symbol.starts_with('.')) {
      name->push_back('.');
      symbol.remove_prefix(1);
    } else if (!symbol.empty()) {
      const auto* const escape = std::find_if(std::begin(kRustEscapes), std::end(kRustEscapes),
                                              [&](const auto& known) { return symbol.starts_with(known.first); });
      if (escape == std::end(kRustEscapes)) {
        name->append(symbol);
        return true;
      }
      name->append(escape->second);
      symbol.remove_prefix(escape->first.size());
    }
  }
  return true;
}

void TidyPerfName(std::string* name) {
  std::replace(name->begin(), name->end(), ';', ':');
  constexpr std::string_view kAnonymous = "(anonymous namespace)";
  // Operators such as "<<" are brackets too: inferno keeps the arguments of these.
  int64_t depth = 0;
  for (size_t at = 0; at < name->size(); ++at) {
    const char c = (*name)[at];
    if (c == '<' || c == '{' || c == '[') {
      ++depth;
    } else if (c == '>' || c == '}' || c == ']' || c == ')') {
      --depth;
    } else if (c == '(') {
      const bool is_receiver = at > 0 && (*name)[at - 1] == '.';
      if (depth == 0 && !is_receiver && !std::string_view(*name).substr(at).starts_with(kAnonymous)) {
        name->resize(at);
        return;
      }
      ++depth;
    }
  }
}

}  // namespace sparkprof
