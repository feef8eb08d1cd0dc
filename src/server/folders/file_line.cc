// SPDX-License-Identifier: Apache-2.0
#include "server/folders/file_line.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sparkprof {
namespace {

// Folder names may contain line ends.
std::string Escaped(std::string_view name) {
  std::string escaped;
  for (const char c : name) {
    if (c == '\n' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? 'n' : c;
  }
  return escaped;
}

std::string Unescaped(std::string_view escaped) {
  std::string name;
  for (size_t at = 0; at < escaped.size(); ++at) {
    const bool is_escaped = escaped[at] == '\\' && at + 1 < escaped.size();
    if (is_escaped) ++at;
    name += is_escaped && escaped[at] == 'n' ? '\n' : escaped[at];
  }
  return name;
}

}  // namespace

std::string FormatFileLine(const StoredFile& file) {
  return fmt::format("{} {} {}", file.size, file.modified_ns, Escaped(file.name));
}

std::optional<StoredFile> ParseFileLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::optional<int64_t> size = ParseInteger(line.substr(0, first));
  const std::optional<int64_t> modified = ParseInteger(line.substr(first + 1, second - first - 1));
  if (!size || !modified) return std::nullopt;
  return StoredFile{Unescaped(line.substr(second + 1)), *size, *modified};
}

}  // namespace sparkprof
