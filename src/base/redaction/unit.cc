// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "base/redaction/characters.h"
#include "base/redaction/decoded_text.h"

namespace sparkprof::redaction {
namespace {

constexpr std::pair<std::string_view, char> kEntities[] = {
    {"&quot;", '"'},  {"&#34;", '"'}, {"&#x22;", '"'}, {"&apos;", '\''}, {"&#39;", '\''},
    {"&#x27;", '\''}, {"&lt;", '<'},  {"&gt;", '>'},   {"&amp;", '&'},   {"&#61;", '='},
};

// Encodings of a space, for DecodeAt.
constexpr std::string_view kBlanks[] = {"&nbsp;", "&#160;", "&#xa0;", "%c2%a0"};

// ASCII for spaces, quotes and full-width forms; NUL for invisible characters; -1 for others.
int FoldedOf(uint32_t code) {
  switch (code) {
    case 0xa0:
    case 0x1680:
    case 0x202f:
    case 0x205f:
    case 0x3000:
      return ' ';
    case 0x85:
    case 0x2028:
    case 0x2029:
      return '\n';
    case 0xad:
    case 0x180e:
    case 0xfeff:
      return '\0';
    case 0x2018:
    case 0x2019:
    case 0x201b:
      return '\'';
    case 0x201c:
    case 0x201d:
    case 0x201f:
      return '"';
    default:
      break;
  }
  if (code >= 0x2000 && code <= 0x200a) return ' ';
  if ((code >= 0x200b && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f)) {
    return '\0';
  }
  return code >= 0xff01 && code <= 0xff5e ? static_cast<int>(code - 0xff01 + '!') : -1;
}

// Decodes a UTF-8 character of two or three bytes.
Unit FoldAt(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(CharAt(text, at + i)); };
  const auto continues = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  uint32_t code = 0;
  size_t size = 0;
  if ((byte(0) & 0xe0) == 0xc0 && continues(1)) {
    code = (byte(0) & 0x1fU) << 6 | (byte(1) & 0x3fU);
    size = 2;
  } else if ((byte(0) & 0xf0) == 0xe0 && continues(1) && continues(2)) {
    code = (byte(0) & 0xfU) << 12 | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU);
    size = 3;
  }
  const int folded = size == 0 ? -1 : FoldedOf(code);
  return folded < 0 ? Unit{text[at], 1} : Unit{static_cast<char>(folded), size, true};
}

// Decodes JSON's \u003d, but not its quotes and backslashes, which are syntax.
Unit EscapeAt(std::string_view text, size_t at) {
  if (CharAt(text, at + 1) != 'u') return {text[at], 1};
  uint32_t code = 0;
  for (size_t i = 2; i < 6; ++i) {
    const int digit = HexValue(CharAt(text, at + i));
    if (digit < 0) return {text[at], 1};
    code = code << 4 | static_cast<uint32_t>(digit);
  }
  int character = FoldedOf(code);
  if (code >= ' ' && code < 0x7f) character = static_cast<int>(code);
  if (character < 0 || IsQuote(static_cast<char>(character)) || character == '\\') return {text[at], 1};
  return {static_cast<char>(character), 6, true};
}

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
  const char c = text[at];
  if (c == '&' || c == '%') {
    for (const std::string_view blank : kBlanks) {
      if (HasAt(text, at, blank)) return {' ', blank.size(), true};
    }
  }
  if (c == '&') {
    Unit unit = UnitAt(text, at);
    unit.is_changed = unit.size > 1;
    return unit;
  }
  if (c == '%') {
    const int high = HexValue(CharAt(text, at + 1));
    const int low = HexValue(CharAt(text, at + 2));
    if (high >= 0 && high < 8 && low >= 0) return {static_cast<char>(high * 16 + low), 3, true};
  }
  if (c == '\\') return EscapeAt(text, at);
  return static_cast<unsigned char>(c) < 0x80 ? Unit{c, 1} : FoldAt(text, at);
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
