// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/json_value.h"

namespace sparkprof {

// Arithmetic on counts, sizes and times of foreign events, clamped to the integers that a double represents exactly, so
// that differences cannot overflow.

inline int64_t CountOf(const simdjson::dom::element& value, int64_t fallback) {
  constexpr int64_t kMax = int64_t{1} << 53;
  return std::clamp(IntegerOf(value, fallback), -kMax, kMax);
}

inline int64_t CountAt(const simdjson::dom::object& object, std::string_view key, int64_t fallback) {
  simdjson::dom::element value;
  return Find(object, key, &value) ? CountOf(value, fallback) : fallback;
}

}  // namespace sparkprof
