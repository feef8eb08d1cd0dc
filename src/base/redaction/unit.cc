// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/unit.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/redaction/characters.h"

namespace sparkprof::redaction {
namespace {

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"&quot;", '"'},  {"&#34;", '"'}, {"&#x22;", '"'}, {"&apos;", '\''}, {"&#39;", '\''},
    {"&#x27;", '\''}, {"&lt;", '<'},  {"&gt;", '>'},   {"&amp;", '&'},   {"&#61;", '='},
};

bool IsPrintable(int c) { return c > ' ' && c < 0x7f; }

Unit PercentAt(std::string_view text, size_t at) {
  size_t digits = at + 1;
  while (CharAt(text, digits) == '2' && CharAt(text, digits + 1) == '5' && HexValue(CharAt(text, digits + 2)) >= 0 &&
         HexValue(CharAt(text, digits + 3)) >= 0) {
    digits += 2;
  }
  const int high = HexValue(CharAt(text, digits));
  const int low = HexValue(CharAt(text, digits + 1));
  if (high < 0 || low < 0 || !IsPrintable(high * 16 + low)) return {text[at], 1};
  return {static_cast<char>(high * 16 + low), digits + 2 - at};
}

Unit BackslashAt(std::string_view text, size_t at) {
  const size_t end = SkipBackslashes(text, at);
  if (IsQuote(CharAt(text, end))) return {text[end], end + 1 - at};
  if (CharAt(text, end) == 'u' && CharAt(text, end + 1) == '0' && CharAt(text, end + 2) == '0') {
    const int high = HexValue(CharAt(text, end + 3));
    const int low = HexValue(CharAt(text, end + 4));
    if (high >= 0 && low >= 0 && IsPrintable(high * 16 + low)) {
      return {static_cast<char>(high * 16 + low), end + 5 - at};
    }
  }
  return {'\\', 1};
}

}  // namespace

Unit UnitAt(std::string_view text, size_t at) {
  if (at >= text.size()) return {};
  switch (text[at]) {
    case '%':
      return PercentAt(text, at);
    case '\\':
      return BackslashAt(text, at);
    case '&':
      for (const auto& [entity, character] : kEntities) {
        if (HasAt(text, at, entity)) return {character, entity.size()};
      }
      return {'&', 1};
    default:
      return {text[at], 1};
  }
}

Unit DecodeAt(std::string_view text, size_t at) {
  if (text[at] == '&') return UnitAt(text, at);
  if (text[at] == '%') {
    const int high = HexValue(CharAt(text, at + 1));
    const int low = HexValue(CharAt(text, at + 2));
    if (high >= 0 && high < 8 && low >= 0) return {static_cast<char>(high * 16 + low), 3};
  }
  return {text[at], 1};
}

bool IsEntityAt(std::string_view text, size_t at) {
  return std::any_of(std::begin(kEntities), std::end(kEntities),
                     [&](const auto& entity) { return text.substr(at).starts_with(entity.first); });
}

size_t SkipBackslashes(std::string_view text, size_t at) {
  while (at < text.size() && text[at] == '\\') ++at;
  return at;
}

}  // namespace sparkprof::redaction
