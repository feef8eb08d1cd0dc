// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace sparkprof {

// A foreign unit as ours: a value times `scale` is in `name`.
struct ValueUnit {
  std::string_view name;  // "ns", "bytes" or "count"
  int64_t scale = 1;
};

inline ValueUnit UnitOf(std::string_view foreign) {
  constexpr struct {
    std::string_view foreign;
    ValueUnit unit;
  } kUnits[] = {
      {"nanoseconds", {"ns", 1}},
      {"ns", {"ns", 1}},
      {"microseconds", {"ns", 1'000}},
      {"us", {"ns", 1'000}},
      {"milliseconds", {"ns", 1'000'000}},
      {"ms", {"ns", 1'000'000}},
      {"seconds", {"ns", 1'000'000'000}},
      {"s", {"ns", 1'000'000'000}},
      {"bytes", {"bytes", 1}},
      {"By", {"bytes", 1}},
      {"kilobytes", {"bytes", 1024}},
      {"megabytes", {"bytes", 1 << 20}},
  };
  for (const auto& known : kUnits) {
    if (known.foreign == foreign) return known.unit;
  }
  return {"count", 1};
}

}  // namespace sparkprof
