// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

struct EventRedaction {
  bool changed = false;
  int64_t dropped_values = 0;
};

// Takes secrets out of one Spark event as JSON. Where that breaks the JSON (a number, a list), each value with a secret
// is dropped as a whole, and counted. What was no JSON before is redacted as text.
EventRedaction RedactEvent(std::string* event);

// Records the number of dropped values among an application's events; their reader reports it as a loss.
inline constexpr std::string_view kDroppedValuesEvent = "SparkprofDroppedValues";
std::string DroppedValuesEvent(int64_t count);

}  // namespace sparkprof
