// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/text/text.h"

namespace sparkprof {

// A foreign unit as ours: a value times `scale` is in `name`.
struct ValueUnit {
  std::string_view name;  // "ns", "bytes" or "count"
  int64_t scale = 1;
};

inline std::string_view EventOfUnit(std::string_view unit) {
  return unit == "ns" ? "wall" : unit == "bytes" ? "alloc" : "samples";
}

// Units of pprof (which ignores case and a plural's s), speedscope and UCUM; everything else counts.
inline ValueUnit UnitOf(std::string_view foreign) {
  constexpr struct {
    std::string_view foreign;
    ValueUnit unit;
  } kUnits[] = {
      {"nanosecond", {"ns", 1}},
      {"ns", {"ns", 1}},
      {"microsecond", {"ns", 1'000}},
      {"us", {"ns", 1'000}},
      {"\u00B5s", {"ns", 1'000}},  // the sign micro
      {"\u03BCs", {"ns", 1'000}},  // the Greek letter
      {"millisecond", {"ns", 1'000'000}},
      {"ms", {"ns", 1'000'000}},
      {"second", {"ns", 1'000'000'000}},
      {"sec", {"ns", 1'000'000'000}},
      {"s", {"ns", 1'000'000'000}},
      {"minute", {"ns", 60'000'000'000}},
      {"min", {"ns", 60'000'000'000}},
      {"hour", {"ns", 3'600'000'000'000}},
      {"hr", {"ns", 3'600'000'000'000}},
      {"byte", {"bytes", 1}},
      {"b", {"bytes", 1}},
      {"by", {"bytes", 1}},
      {"kilobyte", {"bytes", 1 << 10}},
      {"kbyte", {"bytes", 1 << 10}},
      {"kb", {"bytes", 1 << 10}},
      {"kiby", {"bytes", 1 << 10}},
      {"megabyte", {"bytes", 1 << 20}},
      {"mbyte", {"bytes", 1 << 20}},
      {"mb", {"bytes", 1 << 20}},
      {"miby", {"bytes", 1 << 20}},
      {"gigabyte", {"bytes", 1 << 30}},
      {"gbyte", {"bytes", 1 << 30}},
      {"gb", {"bytes", 1 << 30}},
      {"giby", {"bytes", 1 << 30}},
  };
  const std::string name = ToLowerAscii(foreign);
  const std::string_view singular = std::string_view(name).substr(0, name.size() - (name.ends_with('s') ? 1 : 0));
  for (const auto& known : kUnits) {
    if (known.foreign == name || (singular.size() > 1 && known.foreign == singular)) return known.unit;
  }
  return {"count", 1};
}

}  // namespace sparkprof
