// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The collector's small files consist of JSON objects, one per line, that detect their own damage: the last member,
// "sum", is the XXH3-64 of the text before it.

// Adds the checksum to `object`; without a line end.
std::string WithChecksum(std::string_view object);

struct CheckedLines {
  std::vector<std::string> lines;  // undamaged lines, in order
  size_t damaged = 0;
  bool is_old = false;  // written by an earlier version, without checksums
};

// In a file with checksums, a line without one is damaged. In any file, lines other than JSON objects and an
// unterminated last line are damaged.
CheckedLines ReadCheckedLines(std::string_view content);

// Suffix of the copy of a damaged file.
inline constexpr std::string_view kDamagedEnding = ".damaged";

}  // namespace sparkprof
