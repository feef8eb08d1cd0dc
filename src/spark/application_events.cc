// SPDX-License-Identifier: Apache-2.0
#include "spark/application_events.h"

#include <re2/re2.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/redaction/redaction.h"
#include "spark/json_value.h"

namespace sparkprof {
namespace {

constexpr std::string_view kRedactionPattern = "spark.redaction.regex";

// The application's own redaction expression, if it has one that RE2 supports; otherwise null.
std::unique_ptr<RE2> SecretsOf(const simdjson::dom::object& event) {
  simdjson::dom::object settings;
  if (!ObjectAt(event, "Spark Properties", &settings)) return nullptr;
  const std::string_view pattern = TextAt(settings, kRedactionPattern);
  if (pattern.empty()) return nullptr;
  auto secrets = std::make_unique<RE2>(re2::StringPiece(pattern.data(), pattern.size()), RE2::Quiet);
  return secrets->ok() ? std::move(secrets) : nullptr;
}

bool Finds(const RE2& pattern, std::string_view text) {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), pattern);
}

}  // namespace

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

bool AddEnvironmentUpdate(const simdjson::dom::object& event, EventState* state) {
  Application& application = *state->application;
  application.environment.clear();
  const std::unique_ptr<RE2> own_secrets = SecretsOf(event);
  for (const EnvironmentGroup& group : kEnvironmentGroups) {
    simdjson::dom::object settings;
    if (!ObjectAt(event, group.key, &settings)) continue;
    auto& rows = application.environment
                     .emplace_back(std::string(group.name), std::vector<std::pair<std::string, std::string>>())
                     .second;
    rows.reserve(settings.size());
    for (const simdjson::dom::key_value_pair member : settings) {
      const std::string_view value = TextOf(member.value);
      // As Spark does it: a name or a value that matches is a secret.
      const bool own_secret =
          own_secrets != nullptr && !value.empty() && (Finds(*own_secrets, member.key) || Finds(*own_secrets, value));
      const bool is_pattern = member.key == kRedactionPattern;
      rows.emplace_back(std::string(member.key), is_pattern   ? std::string(value)
                                                 : own_secret ? std::string(kRedacted)
                                                              : RedactSetting(member.key, value));
    }
  }
  simdjson::dom::object settings;
  if (ObjectAt(event, "JVM Information", &settings)) application.java_version = TextAt(settings, "Java Version");
  if (ObjectAt(event, "Spark Properties", &settings)) application.master = TextAt(settings, "spark.master");
  return true;
}

}  // namespace sparkprof
