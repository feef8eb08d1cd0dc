// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// The position of the next nonempty line if it begins with an option; else npos.
size_t NextOption(std::string_view text, size_t at) {
  const size_t begin = text.find_first_not_of(" \t\r\n", at);
  return begin != std::string_view::npos && text.substr(begin, 2) == "--" ? begin : std::string_view::npos;
}

// The position of the command's words; npos if the text does not run the program.
size_t BeginOf(std::string_view text, std::string_view program) {
  for (size_t at = text.find(program); at != std::string_view::npos; at = text.find(program, at + 1)) {
    const size_t end = at + program.size();
    const bool begins_word = at == 0 || (kBlanks.find(text[at - 1]) != std::string_view::npos) ||
                             std::string_view("/\n\"'`").find(text[at - 1]) != std::string_view::npos;
    const size_t next = std::min(text.find_first_not_of(" \t\r\"'", end), text.size());
    // In prose, other words follow the program's name.
    if (begins_word && next > end && text.substr(next).starts_with('-')) return next;
    if (begins_word && next < text.size() && text[next] == '\\') return next;
    if (begins_word && next < text.size() && text[next] == '\n' && NextOption(text, next) != std::string_view::npos)
      return next;
  }
  return std::string_view::npos;
}

}  // namespace

std::vector<std::string> WordsOfCommand(std::string_view text, std::string_view program) {
  std::vector<std::string> words;
  const size_t begin = BeginOf(text, program);
  if (begin == std::string_view::npos) return words;
  std::string word;
  char quote = 0;
  bool in_word = false;
  const auto end_word = [&] {
    if (in_word) words.push_back(word);
    word.clear();
    in_word = false;
  };
  for (size_t at = begin; at < text.size(); ++at) {
    const char c = text[at];
    if (quote == 0 && c == '\\') {
      const size_t newline = text.find_first_not_of(kBlanks, at + 1);
      if (newline != std::string_view::npos && text[newline] == '\n') {
        end_word();
        at = newline;  // tolerates blanks after the backslash
      } else if (++at < text.size()) {
        word += text[at];
        in_word = true;
      }
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else if (quote == '"' && c == '\\' && at + 1 < text.size() &&
               std::string_view("\"\\$`\n").find(text[at + 1]) != std::string_view::npos) {
      if (text[++at] != '\n') word += text[at];
    } else if (c == quote) {
      quote = 0;
    } else if (quote != 0) {
      word += c;
    } else if (const size_t option = c == '\n' ? NextOption(text, at) : std::string_view::npos;
               option != std::string_view::npos) {
      end_word();  // tolerates missing backslashes at line ends
      at = option - 1;
    } else if (c == '\n' || c == ';' || c == '|' || c == '&' || c == '>' || c == '`') {
      break;
    } else if (kBlanks.find(c) != std::string_view::npos) {
      end_word();
    } else {
      word += c;
      in_word = true;
    }
  }
  end_word();
  return words;
}

}  // namespace sparkprof
