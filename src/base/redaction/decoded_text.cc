// SPDX-License-Identifier: Apache-2.0
#include "base/redaction/decoded_text.h"

#include "base/redaction/characters.h"
#include "base/redaction/unit.h"

namespace sparkprof::redaction {
namespace {

// The number of doubled quotes at `at`, unless they are an empty string; 1 if it is not a run of quotes.
size_t DoubledQuotes(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && text[end] == '"') ++end;
  if (end < at + 2) return 1;
  const bool opens = at == 0 || IsSpace(text[at - 1]) || IsOneOf(text[at - 1], ",;:=([{");
  const bool closes = end == text.size() || IsSpace(text[end]) || IsOneOf(text[end], ",;)]}");
  return opens && closes ? 1 : end - at;
}

}  // namespace

std::optional<DecodedText> Decode(std::string_view text) {
  size_t at = 0;
  if (text.find('%') == std::string_view::npos && text.find('&') == std::string_view::npos &&
      text.find("\"\"") == std::string_view::npos) {
    return std::nullopt;
  }
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
    changed = changed || unit.size > 1;
    decoded.text += unit.character;
    decoded.origin.push_back(at);
    at += unit.size;
  }
  if (!changed) return std::nullopt;
  decoded.origin.push_back(text.size());
  return decoded;
}

}  // namespace sparkprof::redaction
