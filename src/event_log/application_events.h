// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <string_view>

#include "event_log/event_state.h"

namespace sparkprof {

// A part of SparkListenerEnvironmentUpdate.
struct EnvironmentGroup {
  std::string_view key;   // key in the event
  std::string_view name;  // name in the report
};
inline constexpr EnvironmentGroup kEnvironmentGroups[] = {
    {"JVM Information", "JVM"},      {"Spark Properties", "Spark"},     {"Hadoop Properties", "Hadoop"},
    {"System Properties", "System"}, {"Metrics Properties", "Metrics"}, {"Classpath Entries", "Classpath"},
};

// SparkListenerLogStart, SparkListenerApplicationStart, SparkListenerApplicationEnd and SparkListenerEnvironmentUpdate.
bool AddLogStart(const simdjson::dom::object& event, EventState* state);
bool AddApplicationStart(const simdjson::dom::object& event, EventState* state);
bool AddApplicationEnd(const simdjson::dom::object& event, EventState* state);
// Records parts dropped by RedactEvent as a loss.
bool AddDroppedValues(const simdjson::dom::object& event, EventState* state);
// Redacts secrets, whether or not Spark has redacted them.
bool AddEnvironmentUpdate(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
