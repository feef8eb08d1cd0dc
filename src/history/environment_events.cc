// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "history/replay.h"

namespace sparkprof {
namespace {

// Default of spark.redaction.regex, which Spark's History Server applies to names and values.
bool IsSecretForSpark(std::string_view text) {
  const std::string lower = ToLowerAscii(text);
  for (const std::string_view word : {"secret", "password", "token", "accesskey", "access.key"}) {
    if (lower.find(word) != std::string::npos) return true;
  }
  return false;
}

TextPairs ReadSettings(const simdjson::dom::object& event, std::string_view key) {
  TextPairs pairs = ReadPairs(event, key);
  for (auto& [name, value] : pairs) {
    value = IsSecretForSpark(name) || IsSecretForSpark(value) ? std::string(kRedacted) : RedactSetting(name, value);
  }
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::optional<std::string> ValueOf(const TextPairs& pairs, std::string_view name) {
  const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const auto& pair) { return pair.first == name; });
  return found == pairs.end() ? std::nullopt : std::optional<std::string>(found->second);
}

std::vector<ResourceRequest> ReadRequests(const simdjson::dom::object& event, std::string_view key) {
  std::vector<ResourceRequest> requests;
  simdjson::dom::object object;
  if (!ObjectAt(event, key, &object)) return requests;
  for (const simdjson::dom::key_value_pair member : object) {
    simdjson::dom::object one;
    simdjson::dom::element amount;
    if (member.value.get_object().get(one) != simdjson::SUCCESS || !Find(one, "Amount", &amount)) continue;
    ResourceRequest& request = requests.emplace_back();
    request.key = member.key;
    request.name = TextAt(one, "Resource Name");
    request.amount = CountOf(amount, 0);
    if (amount.get_double().get(request.task_amount) != simdjson::SUCCESS) request.task_amount = 0;
    request.script = TextAt(one, "Discovery Script");
    request.vendor = TextAt(one, "Vendor");
  }
  return requests;
}

}  // namespace

TextPairs ReadPairs(const simdjson::dom::object& object, std::string_view key) {
  TextPairs pairs;
  simdjson::dom::object members;
  if (!ObjectAt(object, key, &members)) return pairs;
  for (const simdjson::dom::key_value_pair member : members) {
    if (member.value.is_string()) pairs.emplace_back(std::string(member.key), RedactText(TextOf(member.value)));
  }
  return pairs;
}

bool ReplayLogStart(const simdjson::dom::object& event, Replay* replay) {
  replay->history->spark_version = TextAt(event, "Spark Version");
  return true;
}

bool ReplayApplicationStart(const simdjson::dom::object& event, Replay* replay) {
  History& history = *replay->history;
  history.id = TextAt(event, "App ID");
  history.attempt = TextAt(event, "App Attempt ID");
  history.name = RedactText(TextAt(event, "App Name"));
  history.user = TextAt(event, "User");
  history.start_ms = CountAt(event, "Timestamp", 0);
  HistoryExecutor* const driver = replay->LiveExecutor("driver");
  simdjson::dom::element logs;
  if (driver != nullptr && Find(event, "Driver Logs", &logs)) {
    driver->logs = ReadPairs(event, "Driver Logs");
    driver->attributes = ReadPairs(event, "Driver Attributes");
  }
  return true;
}

bool ReplayApplicationEnd(const simdjson::dom::object& event, Replay* replay) {
  replay->history->end_ms = CountAt(event, "Timestamp", 0);
  return true;
}

bool ReplayEnvironment(const simdjson::dom::object& event, Replay* replay) {
  HistoryEnvironment& environment = replay->history->environment;
  const TextPairs jvm = ReadPairs(event, "JVM Information");
  environment.java_version = ValueOf(jvm, "Java Version");
  environment.java_home = ValueOf(jvm, "Java Home");
  environment.scala_version = ValueOf(jvm, "Scala Version");
  environment.spark = ReadSettings(event, "Spark Properties");
  environment.hadoop = ReadSettings(event, "Hadoop Properties");
  environment.system = ReadSettings(event, "System Properties");
  environment.metrics = ReadSettings(event, "Metrics Properties");
  environment.classpath = ReadPairs(event, "Classpath Entries");
  std::sort(environment.classpath.begin(), environment.classpath.end());
  const std::optional<std::string> cpus = ValueOf(environment.spark, "spark.task.cpus");
  if (cpus) replay->default_cpus_per_task = ParseInteger(*cpus).value_or(replay->default_cpus_per_task);
  return true;
}

bool ReplayResourceProfile(const simdjson::dom::object& event, Replay* replay) {
  const int64_t id = CountAt(event, "Resource Profile Id", -1);
  if (id < 0) return false;
  replay->history->resource_profiles.insert_or_assign(
      id, HistoryResourceProfile{ReadRequests(event, "Executor Resource Requests"),
                                 ReadRequests(event, "Task Resource Requests")});
  return true;
}

}  // namespace sparkprof
