// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/decoded_text.h"

#include <algorithm>

#include "base/redaction/characters.h"

namespace sparkprof::redaction {
namespace {

// Number of doubled quotes at `at`, unless they are an empty string; 1 if it is not a run of quotes.
size_t DoubledQuotes(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && text[end] == '"') ++end;
  if (end < at + 2) return 1;
  const bool opens = at == 0 || IsSpace(text[at - 1]) || IsOneOf(text[at - 1], ",;:=([{");
  const bool closes = end == text.size() || IsSpace(text[end]) || IsOneOf(text[end], ",;)]}");
  return opens && closes ? 1 : end - at;
}

// False for most texts. The bytes are the first ones of Unicode characters that DecodeAt changes.
bool MayDecode(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  if (has("%") || has("&") || has("\"\"") || has("\\u")) return true;
  if (std::none_of(text.begin(), text.end(), [](char c) { return static_cast<signed char>(c) < 0; })) return false;
  return has("\xc2") || has("\xe1") || has("\xe2") || has("\xe3") || has("\xef");
}

}  // namespace

std::optional<DecodedText> Decode(std::string_view text) {
  size_t at = 0;
  if (!MayDecode(text)) return std::nullopt;
  DecodedText decoded;
  bool changed = false;
  for (at = 0; at < text.size();) {
    if (const size_t quotes = text[at] == '"' ? DoubledQuotes(text, at) : 1; quotes > 1) {
      changed = true;
      for (size_t i = 0; i < quotes; i += 2) {
        decoded.text += '"';
        decoded.origin.push_back(at + i);
      }
      at += quotes;
      continue;
    }
    const Unit unit = DecodeAt(text, at);
    changed = changed || unit.is_changed;
    const bool is_shown = !unit.is_changed || unit.character != '\0' || text[at] == '%';
    if (is_shown) {
      decoded.text += unit.character;
      decoded.origin.push_back(at);
    }
    at += unit.size;
  }
  if (!changed) return std::nullopt;
  decoded.origin.push_back(text.size());
  return decoded;
}

}  // namespace sparkprof::redaction
