// SPDX-License-Identifier: Apache-2.0
#include "base/duration_range.h"

#include <fmt/format.h>

#include "base/text.h"

namespace sparkprof {

std::string FormatDurationRange(int64_t low_ns, int64_t high_ns) {
  const std::string whole = FormatDuration(high_ns);
  const std::string unit = whole.substr(whole.find(' ') + 1);
  const double size = unit == "h" ? 3600e9 : unit == "min" ? 60e9 : unit == "s" ? 1e9 : 1e6;
  const auto digits = [&](int64_t ns) {
    const double value = static_cast<double>(ns) / size;
    return size == 1e6 || value >= 9.95 ? fmt::format("{:.0f}", value) : fmt::format("{:.1f}", value);
  };
  const std::string low = digits(low_ns), high = digits(high_ns);
  if (low == high) return whole;
  if (low == "0" || low == "0.0") return fmt::format("up to {}", whole);
  return fmt::format("{}–{} {}", low, high, unit);
}

}  // namespace sparkprof
