// SPDX-License-Identifier: Apache-2.0
#include "server/folders/file_line.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sparkprof {

std::string FormatFileLine(const StoredFile& file) {
  return fmt::format("{} {} {}", file.size, file.modified_ns, file.name);
}

std::optional<StoredFile> ParseFileLine(std::string_view line) {
  const size_t first = line.find(' ');
  const size_t second = first == std::string_view::npos ? first : line.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::optional<int64_t> size = ParseInteger(line.substr(0, first));
  const std::optional<int64_t> modified = ParseInteger(line.substr(first + 1, second - first - 1));
  if (!size || !modified) return std::nullopt;
  return StoredFile{std::string(line.substr(second + 1)), *size, *modified};
}

}  // namespace sparkprof
