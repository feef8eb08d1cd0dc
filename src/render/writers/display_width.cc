// SPDX-License-Identifier: Apache-2.0
#include "render/writers/display_width.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/text/text.h"

namespace sparkprof {
namespace {

std::pair<uint32_t, size_t> FirstCharacter(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  uint32_t character = size == 1 ? lead : lead & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size && i < text.size(); ++i)
    character = character << 6 | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {character, std::min(size, text.size())};
}

size_t WidthOfCharacter(uint32_t character) {
  struct Range {
    uint32_t first, last;
  };
  constexpr Range kCombining[] = {{0x300, 0x36F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}};
  constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0xA4CF},  {0xAC00, 0xD7A3}, {0xF900, 0xFAFF},
                             {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},  {0xFFE0, 0xFFE6}, {0x1F300, 0x1F64F},
                             {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
  for (const Range& range : kCombining) {
    if (character >= range.first && character <= range.last) return 0;
  }
  for (const Range& range : kWide) {
    if (character >= range.first && character <= range.last) return 2;
  }
  return 1;
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    if (text[0] == '\x1b') {
      text.remove_prefix(std::min(text.find('m'), text.size() - 1) + 1);
      continue;
    }
    const auto [character, size] = FirstCharacter(text);
    width += WidthOfCharacter(character);
    text.remove_prefix(size);
  }
  return width;
}

std::string ShortenToWidth(std::string_view text, size_t width) {
  size_t taken = 0, end = 0, end_before_ellipsis = 0;
  while (end < text.size()) {
    const auto [character, size] = FirstCharacter(text.substr(end));
    const size_t more = WidthOfCharacter(character);
    if (taken + more > width) return std::string(text.substr(0, end_before_ellipsis)) + "…";
    taken += more;
    end += size;
    if (taken < width) end_before_ellipsis = end;
  }
  return std::string(text);
}

std::string ShortenStartToWidth(std::string_view text, size_t width) {
  size_t left = DisplayWidth(text);
  if (left <= width) return std::string(text);
  while (left >= width && !text.empty()) {
    const auto [character, size] = FirstCharacter(text);
    left -= std::min(left, WidthOfCharacter(character));
    text.remove_prefix(size);
  }
  return "…" + std::string(text);
}

std::string WrapText(std::string_view text, size_t width, size_t first, size_t indent) {
  std::string lines;
  size_t column = first;
  bool at_start = true;
  for (const std::string_view word : Split(text, ' ')) {
    if (word.empty()) continue;
    const size_t columns = DisplayWidth(word);
    if (!at_start && width > 0 && column + 1 + columns > width) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
      at_start = true;
    }
    if (!at_start) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += columns;
    at_start = false;
  }
  return lines + "\n";
}

}  // namespace sparkprof
