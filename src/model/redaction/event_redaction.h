// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/redaction/own_redaction.h"

namespace sparkprof {

struct EventRedaction {
  bool changed = false;
  int64_t dropped_values = 0;
};

// Removes secrets from Spark's events, which are JSON. Caches names that are not secret, because events repeat them.
// Not thread-safe.
class EventRedactor {
 public:
  explicit EventRedactor(OwnRedaction own = {}) : own_(std::move(own)) {}

  // Redacts each text with the member's key as its name, and then secrets that only the complete event shows. A value
  // that cannot keep its type (a number, members of a secret's object) becomes a text and is counted. Text that is not
  // JSON is redacted as text.
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
