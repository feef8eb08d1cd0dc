// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

namespace sparkprof {

inline constexpr size_t kMaxTypingErrors = 3;

// Edit distance (insertions, deletions, replacements); if the lengths differ by more than kMaxTypingErrors, that
// difference.
size_t TypingErrors(std::string_view left, std::string_view right);

// Finds the name most similar to `name`, the first of several; empty if all differ by more than kMaxTypingErrors or in
// half of its characters.
class NearestName {
 public:
  explicit NearestName(std::string_view name);
  void Add(std::string_view known);
  std::string_view Get() const { return nearest_; }

 private:
  const std::string_view name_;
  size_t fewest_;
  std::string_view nearest_;
};

}  // namespace sparkprof
