// SPDX-License-Identifier: Apache-2.0
#include "inputs/cri_line.h"

#include <algorithm>

namespace sparkprof {

std::optional<CriLine> ParseCriLine(std::string_view line) {
  constexpr size_t kShortestTime = 20;  // "2016-10-06T00:17:09Z"
  constexpr size_t kLongestTime = 40;
  if (line.size() < kShortestTime || line[4] != '-' || line[10] != 'T') return {};
  const size_t time_end = line.find(' ');
  if (time_end == std::string_view::npos || time_end < kShortestTime || time_end > kLongestTime) return {};
  CriLine cri;
  cri.time = line.substr(0, time_end);
  std::string_view rest = line.substr(time_end + 1);
  if (!rest.starts_with("stdout ") && !rest.starts_with("stderr ")) return {};
  cri.is_stderr = rest[3] == 'e';
  rest.remove_prefix(7);
  // Further tags may follow, separated by colons.
  const size_t tag_end = std::min(rest.find(' '), rest.size());
  if (tag_end == 0 || (rest[0] != 'F' && rest[0] != 'P') || (tag_end > 1 && rest[1] != ':')) return {};
  cri.continues = rest[0] == 'P';
  cri.text = rest.substr(std::min(tag_end + 1, rest.size()));
  return cri;
}

}  // namespace sparkprof
