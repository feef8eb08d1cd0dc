// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

namespace sparkprof {

// Two texts with the same beginning and the same XXH3. It adds the products of the halves of two words after combining
// them with a public secret. Here, the lower halves become equal, so moving a bit between the upper ones changes
// nothing.
inline std::pair<std::string, std::string> CollidingTexts() {
  constexpr size_t kFirst = 144, kSecond = 208;
  std::string first(300, 'a');
  first.replace(kSecond, 4, "(BWR");
  std::string second = first;
  first.replace(kFirst + 4, 1, "c");
  first.replace(kSecond + 4, 1, "b");
  second.replace(kFirst + 4, 1, "b");
  second.replace(kSecond + 4, 1, "c");
  return {std::move(first), std::move(second)};
}

}  // namespace sparkprof
