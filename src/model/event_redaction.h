// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/own_redaction.h"

namespace sparkprof {

struct EventRedaction {
  bool changed = false;
  int64_t dropped_values = 0;
};

// Takes secrets out of Spark's events, which are JSON. Remembers names that are not those of secrets: events repeat
// them. Not thread-safe.
class EventRedactor {
 public:
  explicit EventRedactor(OwnRedaction own = {}) : own_(std::move(own)) {}

  // Redacts each text, the member's key being its name, and then what only the event as a whole shows to be a secret.
  // A value that cannot stay what it is (a number, members of a secret's object) becomes a text, and is counted. What
  // is not JSON is redacted as text.
  EventRedaction Redact(std::string* event);

 private:
  class Walk;
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  bool IsPlainName(std::string_view name);

  OwnRedaction own_;
  std::unordered_map<std::string, bool, Hash, std::equal_to<>> plain_names_;
};

// Records the number of dropped values among an application's events; their reader reports it as a loss.
inline constexpr std::string_view kDroppedValuesEvent = "SparkprofDroppedValues";
std::string DroppedValuesEvent(int64_t count);

}  // namespace sparkprof
