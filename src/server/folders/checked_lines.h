// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The collector's small files are lines of JSON objects that reveal their own damage: the last member of each, "sum",
// is the XXH3-64 of the text before it.

// `object` with its checksum, without a line end.
std::string WithChecksum(std::string_view object);

struct CheckedLines {
  std::vector<std::string> lines;  // without damage, in order
  size_t damaged = 0;
  bool is_old = false;  // earlier versions wrote the file, without checksums
};

// In a file with checksums, a line without one is damaged. Lines that are not JSON objects, and a last line without an
// end, are damaged in every file.
CheckedLines ReadCheckedLines(std::string_view content);

// The ending of the copy that is kept of a damaged file.
inline constexpr std::string_view kDamagedEnding = ".damaged";

}  // namespace sparkprof
