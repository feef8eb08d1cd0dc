// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxFields = 100'000;
constexpr size_t kMaxDepth = 50;

// Turns "Exit Code" into "exitCode"; keeps names of containers and labels.
std::string KeyOf(std::string_view text) {
  std::string key;
  const bool is_title = !text.empty() && IsUpper(text[0]);
  for (const char c : text) {
    if (c == ' ' || c == '"') continue;
    key += key.empty() && is_title ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return key;
}

std::string_view WithoutQuotes(std::string_view value) {
  const bool is_quoted =
      value.size() >= 2 && (value.front() == '"' || value.front() == '\'') && value.back() == value.front();
  return is_quoted ? value.substr(1, value.size() - 2) : value;
}

// The colon after a key; npos if there is none.
size_t ColonOf(std::string_view line) {
  const size_t colon = line.find(':');
  const bool is_key = colon != std::string_view::npos && colon > 0 &&
                      (colon + 1 == line.size() || line[colon + 1] == ' ' || line[colon + 1] == '\t');
  return is_key ? colon : std::string_view::npos;
}

}  // namespace

IndentedText::IndentedText(std::string_view text) {
  std::vector<std::pair<size_t, std::string>> open;  // indentation and path of the enclosing keys
  bool in_block = false;                             // inside the lines of a block value
  size_t block = 0;                                  // indentation of the block
  while (!text.empty() && fields_.size() < kMaxFields) {
    std::string_view line = WithoutCarriageReturn(TakeLine(&text));
    size_t indentation = std::min(line.find_first_not_of(" \t"), line.size());
    line = Trim(line);
    if (line.empty() || line.starts_with("---")) continue;
    const bool is_element = line.starts_with("- ");
    const size_t colon = is_element ? std::string_view::npos : ColonOf(line);
    const bool continues =
        !fields_.empty() && indentation > block && (in_block || (colon == std::string_view::npos && !is_element));
    if (continues) {
      std::string& value = fields_.back().second;
      value.append(value.empty() ? "" : "\n").append(line);
      continue;
    }
    in_block = false;
    if (is_element) {
      indentation += 2;
      line = Trim(line.substr(2));
    }
    const size_t key_end = ColonOf(line);
    if (key_end == std::string_view::npos) continue;
    while (!open.empty() && open.back().first >= indentation) open.pop_back();
    if (open.size() == kMaxDepth) continue;
    std::string path = (open.empty() ? std::string() : open.back().second + ".") + KeyOf(line.substr(0, key_end));
    std::string_view value = Trim(line.substr(key_end + 1));
    in_block = value == "|" || value == ">" || value == "|-" || value == ">-";
    block = indentation;
    fields_.emplace_back(path, in_block ? std::string_view() : WithoutQuotes(value));
    open.emplace_back(indentation, std::move(path));
  }
}

std::string_view IndentedText::At(std::string_view path) const {
  const auto found =
      std::find_if(fields_.begin(), fields_.end(), [&](const Field& field) { return field.first == path; });
  return found == fields_.end() ? std::string_view() : found->second;
}

std::vector<IndentedText::Field> IndentedText::Below(std::string_view begin) const {
  std::vector<Field> below;
  for (const auto& [path, value] : fields_) {
    if (std::string_view(path).starts_with(begin)) below.emplace_back(path.substr(begin.size()), value);
  }
  return below;
}

}  // namespace sparkprof
