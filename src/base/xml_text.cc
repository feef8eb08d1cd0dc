// SPDX-License-Identifier: Apache-2.0
#include "base/xml_text.h"

#include <charconv>
#include <cstdint>
#include <utility>

#include "base/append_utf8.h"
#include "base/text.h"

namespace sparkprof {

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : ToUtf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') {
          escaped += "\xEF\xBF\xBD";
        } else {
          escaped += c;
        }
    }
  }
  return escaped;
}

bool AppendXmlEntity(std::string_view name, std::string* text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
  for (const auto& [known, character] : kEntities) {
    if (name != known) continue;
    *text += character;
    return true;
  }
  if (!name.starts_with('#')) return false;
  const bool is_hex = name.starts_with("#x");
  name.remove_prefix(is_hex ? 2 : 1);
  uint32_t code = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), code, is_hex ? 16 : 10);
  if (error != std::errc() || end != name.data() + name.size() || code == 0 || code > 0x10FFFF) return false;
  AppendUtf8(code, text);
  return true;
}

std::string UnescapeXml(std::string_view text) {
  constexpr size_t kLongest = 10;  // "&#x10FFFF;"
  std::string plain;
  while (!text.empty()) {
    const size_t end = text.front() == '&' ? text.substr(0, kLongest).find(';') : std::string_view::npos;
    if (end != std::string_view::npos && AppendXmlEntity(text.substr(1, end - 1), &plain)) {
      text.remove_prefix(end + 1);
    } else {
      plain += text.front();
      text.remove_prefix(1);
    }
  }
  return plain;
}

}  // namespace sparkprof
