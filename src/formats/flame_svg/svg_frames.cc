// SPDX-License-Identifier: Apache-2.0
#include "formats/flame_svg/svg_frames.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/characters.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

constexpr std::string_view kTitleElement = "<title>", kTitleEnd = "</title>";

double RealAt(std::string_view tag, std::string_view name) {
  double real = 0;
  if (const std::optional<std::string_view> text = SvgAttribute(tag, name)) {
    std::from_chars(text->data(), text->data() + text->size(), real);
  }
  return std::isfinite(real) ? real : 0;
}

std::optional<int64_t> IntegerIn(std::string_view tag, std::string_view name) {
  const std::optional<std::string_view> text = SvgAttribute(tag, name);
  int64_t integer = 0;
  if (!text || std::from_chars(text->data(), text->data() + text->size(), integer).ec != std::errc())
    return std::nullopt;
  return integer;
}

// A number and its unit, "1,234 samples".
struct Amount {
  int64_t number = 0;
  std::string_view unit;
};

// The last amount of "1,234 samples, 12.34%" and "1.2 s, 3 samples, 0.1%; +0.2%".
std::optional<Amount> AmountOf(std::string_view text) {
  text = text.substr(0, text.find(';'));
  const size_t share = text.rfind(", ");
  if (share == std::string_view::npos) return std::nullopt;
  text = text.substr(0, share);
  const size_t before = text.rfind(", ");
  if (before != std::string_view::npos) text.remove_prefix(before + 2);
  const size_t blank = text.find(' ');
  Amount amount{.unit = blank == std::string_view::npos ? std::string_view() : text.substr(blank + 1)};
  text = text.substr(0, blank);
  if (text.empty() || !IsDigit(text.front())) return std::nullopt;
  for (const char c : text) {
    if (c == ',') continue;
    if (!IsDigit(c)) break;
    if (__builtin_mul_overflow(amount.number, 10, &amount.number)) return std::nullopt;
    AddSaturated(c - '0', &amount.number);
  }
  return amount;
}

void AppendCodePoint(uint32_t code, std::string* text) {
  if (code < 0x80) {
    *text += static_cast<char>(code);
  } else if (code < 0x800) {
    *text += static_cast<char>(0xC0 | code >> 6);
    *text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    *text += static_cast<char>(0xE0 | code >> 12);
    *text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    *text += static_cast<char>(0x80 | (code & 0x3F));
  } else if (code < 0x110000) {
    *text += static_cast<char>(0xF0 | code >> 18);
    *text += static_cast<char>(0x80 | (code >> 12 & 0x3F));
    *text += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    *text += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// Appends what the entity `name` (without "&" and ";") stands for; false if it is unknown.
bool AppendEntity(std::string_view name, std::string* text) {
  constexpr struct {
    std::string_view name;
    char character;
  } kEntities[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& entity : kEntities) {
    if (entity.name != name) continue;
    *text += entity.character;
    return true;
  }
  if (!name.starts_with('#')) return false;
  name.remove_prefix(1);
  const int base = name.starts_with('x') ? 16 : 10;
  if (base == 16) name.remove_prefix(1);
  uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, base);
  if (error != std::errc() || end != name.data() + name.size()) return false;
  AppendCodePoint(code, text);
  return true;
}

}  // namespace

std::optional<std::string_view> SvgAttribute(std::string_view tag, std::string_view name) {
  for (size_t at = tag.find(name); at != std::string_view::npos; at = tag.find(name, at + 1)) {
    const size_t open = at + name.size() + 1;
    if (at == 0 || (tag[at - 1] != ' ' && tag[at - 1] != '\n') || open >= tag.size() || tag[open - 1] != '=' ||
        (tag[open] != '"' && tag[open] != '\'')) {
      continue;
    }
    const size_t close = tag.find(tag[open], open + 1);
    if (close == std::string_view::npos) return std::nullopt;
    return tag.substr(open + 1, close - open - 1);
  }
  return std::nullopt;
}

std::string UnescapeXml(std::string_view text) {
  constexpr size_t kLongest = 10;
  std::string plain;
  for (size_t at = 0; at < text.size(); ++at) {
    const size_t end = text[at] == '&' ? text.substr(at, kLongest).find(';') : std::string_view::npos;
    if (end != std::string_view::npos && AppendEntity(text.substr(at + 1, end - 1), &plain)) {
      at += end;
    } else {
      plain += text[at];
    }
  }
  return plain;
}

SvgFrames FindSvgFrames(std::string_view svg) {
  SvgFrames found;
  size_t at = svg.find(kTitleElement);
  while (at != std::string_view::npos) {
    const size_t begin = at + kTitleElement.size(), end = svg.find(kTitleEnd, begin);
    if (end == std::string_view::npos) break;
    at = svg.find(kTitleElement, end);
    const std::string_view title = svg.substr(begin, end - begin);
    const std::string_view behind = svg.substr(end, at == std::string_view::npos ? at : at - end);
    const size_t tag = behind.find("<rect");
    if (tag == std::string_view::npos) continue;
    const std::string_view rect = behind.substr(tag, behind.find('>', tag) - tag);
    const size_t open = title.rfind(" (");
    const std::optional<Amount> amount = open != std::string_view::npos && title.ends_with(')')
                                             ? AmountOf(title.substr(open + 2, title.size() - open - 3))
                                             : std::nullopt;
    if (!amount) {
      ++found.unreadable;
      continue;
    }
    SvgFrame frame{.name = UnescapeXml(title.substr(0, open)), .top = RealAt(rect, "y")};
    frame.weight = frame.count = amount->number;
    if (found.unit.empty()) found.unit = std::string(amount->unit);
    std::optional<int64_t> start = IntegerIn(rect, "fg:x"), width = IntegerIn(rect, "fg:w");
    if (!start || !width) {
      start = IntegerIn(rect, "data-x");
      width = IntegerIn(rect, "data-w");
      if (start && width) frame.weight = *width;
    }
    frame.left = start && width ? static_cast<double>(*start) : RealAt(rect, "x");
    frame.right = frame.left + (start && width ? static_cast<double>(*width) : RealAt(rect, "width"));
    found.frames.push_back(std::move(frame));
  }
  return found;
}

}  // namespace sparkprof
