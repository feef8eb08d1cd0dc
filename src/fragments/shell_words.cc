// SPDX-License-Identifier: Apache-2.0
#include "fragments/shell_words.h"

#include <algorithm>

#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kBlanks = " \t\r";

// Where the command's words begin; npos if the program does not run in the text.
size_t BeginOf(std::string_view text, std::string_view program) {
  for (size_t at = text.find(program); at != std::string_view::npos; at = text.find(program, at + 1)) {
    const size_t end = at + program.size();
    const bool begins_word = at == 0 || (kBlanks.find(text[at - 1]) != std::string_view::npos) ||
                             std::string_view("/\n\"'`").find(text[at - 1]) != std::string_view::npos;
    const size_t next = std::min(text.find_first_not_of(" \t\r\"'", end), text.size());
    // Prose about the program has other words behind it.
    if (begins_word && next > end && text.substr(next).starts_with('-')) return next;
    if (begins_word && next < text.size() && text[next] == '\\') return next;
    if (begins_word && next < text.size() && text[next] == '\n' && Trim(text.substr(next)).starts_with("--"))
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
        at = newline;  // blanks behind the backslash are a mistake of the paste
      } else if (++at < text.size()) {
        word += text[at];
        in_word = true;
      }
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
      in_word = true;
    } else if (c == quote) {
      quote = 0;
    } else if (quote != 0) {
      word += c;
    } else if (c == '\n' && Trim(text.substr(at)).starts_with("--")) {
      end_word();  // a paste without the backslashes at the ends of its lines
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
