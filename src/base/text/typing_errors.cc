// SPDX-License-Identifier: Apache-2.0
#include "base/text/typing_errors.h"

#include <algorithm>
#include <vector>

namespace sparkprof {

size_t TypingErrors(std::string_view left, std::string_view right) {
  const size_t difference = std::max(left.size(), right.size()) - std::min(left.size(), right.size());
  if (difference > kMaxTypingErrors) return difference;
  std::vector<size_t> row(right.size() + 1);
  for (size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (size_t i = 0; i < left.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < right.size(); ++j) {
      const size_t replaced = diagonal + (left[i] == right[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row[right.size()];
}

NearestName::NearestName(std::string_view name)
    : name_(name), fewest_(std::min(kMaxTypingErrors, name.size() / 2) + 1) {}

void NearestName::Add(std::string_view known) {
  const size_t errors = TypingErrors(name_, known);
  if (errors >= fewest_) return;
  fewest_ = errors;
  nearest_ = known;
}

}  // namespace sparkprof
