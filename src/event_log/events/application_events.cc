// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "event_log/events/event_handlers.h"

namespace sparkprof {
bool AddLogStart(const simdjson::dom::object& event, EventState* state) {
  const std::string_view version = TextAt(event, "Spark Version");
  if (version.empty()) return false;
  state->application->spark_version = version;
  return true;
}

bool AddApplicationStart(const simdjson::dom::object& event, EventState* state) {
  Application& application = *state->application;
  application.name = TextAt(event, "App Name");
  application.user = TextAt(event, "User");
  application.start_ns = NanosAt(event, "Timestamp");
  if (application.id.empty()) application.id = TextAt(event, "App ID");
  if (application.attempt.empty()) application.attempt = TextAt(event, "App Attempt ID");
  state->clock.See(application.start_ns);
  return true;
}

bool AddApplicationEnd(const simdjson::dom::object& event, EventState* state) {
  state->application->ended = true;
  state->application->end_ns = NanosAt(event, "Timestamp");
  return true;
}

bool AddDroppedValues(const simdjson::dom::object& event, EventState* state) {
  constexpr std::string_view kReason = "redacted as a whole: the event has a secret that is not a text";
  const int64_t count = IntegerAt(event, "Values", 0);
  if (count <= 0) return false;
  std::vector<Loss>& losses = state->application->losses;
  const auto known =
      std::find_if(losses.begin(), losses.end(), [&](const Loss& loss) { return loss.reason == kReason; });
  if (known == losses.end()) {
    losses.push_back({"event_values", std::string(kReason), count});
  } else {
    known->count += count;
  }
  return true;
}

bool AddEnvironmentUpdate(const simdjson::dom::object& event, EventState* state) {
  Application& application = *state->application;
  application.environment.clear();
  simdjson::dom::object spark_properties;
  const bool has_properties = ObjectAt(event, "Spark Properties", &spark_properties);
  if (has_properties) {
    state->own_redaction.Read([&](std::string_view name) { return TextAt(spark_properties, name); }, &application);
  }
  for (const EnvironmentGroup& group : kEnvironmentGroups) {
    simdjson::dom::object settings;
    if (!ObjectAt(event, group.key, &settings)) continue;
    auto& rows = application.environment
                     .emplace_back(std::string(group.name), std::vector<std::pair<std::string, std::string>>())
                     .second;
    rows.reserve(settings.size());
    for (const simdjson::dom::key_value_pair member : settings) {
      rows.emplace_back(RedactText(member.key), state->own_redaction.Setting(member.key, TextOf(member.value)));
    }
  }
  simdjson::dom::object settings;
  if (ObjectAt(event, "JVM Information", &settings)) application.java_version = TextAt(settings, "Java Version");
  if (has_properties) application.master = TextAt(spark_properties, "spark.master");
  return true;
}

}  // namespace sparkprof
