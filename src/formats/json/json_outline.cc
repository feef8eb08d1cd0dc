// SPDX-License-Identifier: Apache-2.0
#include <vector>

#include "formats/json/json_document.h"

namespace sparkprof {
namespace {

constexpr size_t kDeepest = 3;  // levels of members

// An object or array that has not been closed.
struct OpenValue {
  bool is_object = false;
  size_t level = 0;  // members that lead to it
  std::string path;  // empty below the deepest level
};

// The position behind the string that starts at `at`; the end of the text if it is truncated.
size_t EndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.size();
}

}  // namespace

JsonOutline::JsonOutline(std::string_view head) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const size_t first = head.find_first_not_of(kBlanks);
  if (first == std::string_view::npos || (head[first] != '{' && head[first] != '[')) return;
  begin_ = head[first];
  std::vector<OpenValue> open;
  OpenValue next;  // opened by the next bracket
  for (size_t at = first; at < head.size(); ++at) {
    const char c = head[at];
    if (c == '{' || c == '[') {
      next.is_object = c == '{';
      open.push_back(next);
    } else if (c == '}' || c == ']') {
      if (open.empty()) return;
      open.pop_back();
      if (open.empty()) return;
      next = open.back();
    } else if (c == ',' && !open.empty()) {
      next = open.back();
    } else if (c == '"') {
      const size_t end = EndOfString(head, at);
      const size_t colon = head.find_first_not_of(kBlanks, end);
      if (colon != std::string_view::npos && head[colon] == ':' && !open.empty() && open.back().is_object) {
        next = {.level = open.back().level + 1};
        if (next.level <= kDeepest) {
          next.path = open.back().path;
          if (!next.path.empty()) next.path += '.';
          next.path += head.substr(at + 1, end - at - 2);
          paths_.insert(next.path);
        }
      }
      at = end - 1;
    }
  }
}

}  // namespace sparkprof
