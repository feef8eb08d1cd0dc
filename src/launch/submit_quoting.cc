// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "launch/submit_command.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Reads the quoted text at `at` (its opening quote) into `word`. Returns the position after the closing quote, or npos.
size_t ReadQuotation(std::string_view text, size_t at, std::string& word) {
  const char quote = text[at++];
  for (; at < text.size(); ++at) {
    if (text[at] == quote) return at + 1;
    // Within "…" a backslash escapes only a quote and itself; within '…' nothing.
    const bool escapes =
        quote == '"' && text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\');
    if (escapes) ++at;
    word += text[at];
  }
  return std::string_view::npos;
}

}  // namespace

Result<std::vector<std::string>> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  size_t at = 0;
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    std::string& word = words.emplace_back();
    while (at < text.size() && kBlanks.find(text[at]) == std::string_view::npos) {
      if (text[at] == '\'' || text[at] == '"') {
        const size_t begin = at;
        at = ReadQuotation(text, at, word);
        if (at == std::string_view::npos) {
          return Fail(fmt::format("character {}: missing closing {}", begin, text[begin]));
        }
      } else if (text[at] == '\\') {
        if (at + 1 == text.size()) return Fail(fmt::format("character {}: no character after the backslash", at));
        word += text[at + 1];
        at += 2;
      } else {
        word += text[at++];
      }
    }
  }
  return words;
}

}  // namespace sparkprof
