// SPDX-License-Identifier: Apache-2.0
#include "base/markdown_text.h"

#include <algorithm>

#include "base/characters.h"
#include "base/text.h"

namespace sparkprof {
namespace {

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

}  // namespace sparkprof
