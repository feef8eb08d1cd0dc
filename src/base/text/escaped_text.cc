// SPDX-License-Identifier: Apache-2.0
#include "base/text/escaped_text.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <utility>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

// Size in UTF-8 of the character at `at` if a terminal interprets or hides it; else 0.
size_t ControlSize(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U; };
  if (byte(0) < 0x20 || byte(0) == 0x7f) return 1;
  if (byte(0) == 0xc2 && byte(1) < 0xa0) return 2;                                              // C1 control characters
  if (byte(0) == 0xd8 && byte(1) == 0x9c) return 2;                                             // U+061C
  if (byte(0) == 0xef) return byte(1) == 0xbb && byte(2) == 0xbf ? 3 : 0;                       // U+FEFF
  if (byte(0) == 0xf3) return byte(1) == 0xa0 && (byte(2) == 0x80 || byte(2) == 0x81) ? 4 : 0;  // U+E0000 to U+E007F
  if (byte(0) != 0xe2) return 0;
  if (byte(1) == 0x80 && (byte(2) == 0x8b || byte(2) == 0x8e || byte(2) == 0x8f)) return 3;  // U+200B, U+200E, U+200F
  if (byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) return 3;                       // U+2028 to U+202E
  return byte(1) == 0x81 && byte(2) >= 0xa0 && byte(2) <= 0xaf ? 3 : 0;                      // U+2060 to U+206F
}

// Word separators: a table cell ends at |, even within code.
constexpr std::string_view kSeparators = " \t|";

bool IsWordByte(char c) { return IsAlnum(c) || static_cast<unsigned char>(c) >= 0x80; }
bool IsLetterByte(char c) { return IsWordByte(c) && !IsDigit(c); }

// Whether an extension of Markdown may interpret the word. Errs on the side of true: which host names become links
// depends on the renderer.
bool HasMeaning(std::string_view word) {
  for (size_t i = 0; i < word.size(); ++i) {
    const char next = i + 1 < word.size() ? word[i + 1] : ' ';
    switch (word[i]) {
      case '@':
      case '$':
        return true;
      case '.':
        if (i > 0 && IsLetterByte(next)) return true;
        break;
      case ':':
        if (IsLetterByte(next)) return true;
        break;
      case '/':
        if (next == '/') return true;
        break;
      case '-':
        if (IsDigit(next) && i >= 2 && (word.substr(i - 2, 2) == "GH" || word.substr(i - 2, 2) == "gh")) return true;
        break;
      default:
        break;
    }
  }
  return false;
}

void AppendEscaped(std::string_view text, std::string* markdown) {
  constexpr std::string_view kMarks = "\\`*_[]<>|#~!&";
  for (const char c : text) {
    if (kMarks.find(c) != std::string_view::npos) *markdown += '\\';
    *markdown += c;
    // Prevents that "#12" refers to an issue: sites search for it in the unescaped text.
    if (c == '#') *markdown += "&#8203;";
  }
}

// Uses more backticks than the longest run in `word`.
void AppendCode(std::string_view word, std::string* markdown) {
  size_t most = 0, run = 0;
  for (const char c : word) {
    run = c == '`' ? run + 1 : 0;
    most = std::max(most, run);
  }
  const std::string fence(most + 1, '`');
  const std::string_view pad = word.front() == '`' || word.back() == '`' ? " " : "";
  markdown->append(fence).append(pad).append(word).append(pad).append(fence);
}

void AppendWord(std::string_view word, std::string* markdown) {
  constexpr std::string_view kBefore = "([{\"'", kBehind = ".,;:!?)]}\"'";
  const size_t begin = std::min(word.find_first_not_of(kBefore), word.size());
  const size_t end = std::max(word.find_last_not_of(kBehind) + 1, begin);
  const std::string_view core = word.substr(begin, end - begin);
  AppendEscaped(word.substr(0, begin), markdown);
  core.empty() || !HasMeaning(word.substr(begin)) ? AppendEscaped(core, markdown) : AppendCode(core, markdown);
  AppendEscaped(word.substr(end), markdown);
}

}  // namespace

std::string ForTerminal(std::string_view text) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const std::string valid = ToUtf8(text);
  std::string shown;
  shown.reserve(valid.size());
  for (size_t at = 0; at < valid.size();) {
    const size_t size = valid[at] == '\n' || valid[at] == '\t' ? 0 : ControlSize(valid, at);
    if (size == 0) {
      shown += valid[at++];
    } else {
      shown += kReplacement;
      at += size;
    }
  }
  return shown;
}

std::string EscapeMarkdown(std::string_view text) {
  const std::string line = ToOneLine(text);
  std::string markdown;
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view separators = rest.substr(0, rest.find_first_not_of(kSeparators));
    AppendEscaped(separators, &markdown);
    rest.remove_prefix(separators.size());
    const std::string_view word = rest.substr(0, rest.find_first_of(kSeparators));
    if (!word.empty()) AppendWord(word, &markdown);
    rest.remove_prefix(word.size());
  }
  return markdown;
}

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

std::string ShellWord(std::string_view word) {
  constexpr std::string_view kSafe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789@%+=:,./_-";
  if (!word.empty() && word.find_first_not_of(kSafe) == std::string_view::npos) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\"'\"'";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace sparkprof
