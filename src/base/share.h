// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace sparkprof {

// 0 if `whole` is 0.
inline double Share(int64_t part, int64_t whole) {
  return whole <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

inline int64_t Scaled(int64_t value, double factor) {
  return static_cast<int64_t>(static_cast<double>(value) * factor);
}

// The entry of a map with the largest value; its end if it is empty.
template <typename Map>
auto LargestEntry(const Map& map) {
  return std::ranges::max_element(map, {}, &Map::value_type::second);
}

}  // namespace sparkprof
