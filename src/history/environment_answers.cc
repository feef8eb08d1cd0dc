// SPDX-License-Identifier: Apache-2.0
#include "history/answer_parts.h"

namespace sparkprof {
namespace {

void WriteSettings(std::string_view key, const TextPairs& pairs, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const auto& [name, value] : pairs) json->BeginArray().Value(name).Value(value).EndArray();
  json->EndArray();
}

void WriteProfile(int64_t id, const HistoryResourceProfile& profile, JsonWriter* json) {
  json->BeginObject().Member("id", id).Key("executorResources").BeginObject();
  for (const ResourceRequest& request : profile.executor) {
    json->Key(request.key)
        .BeginObject()
        .Member("resourceName", request.name)
        .Member("amount", request.amount)
        .Member("discoveryScript", request.script)
        .Member("vendor", request.vendor)
        .EndObject();
  }
  json->EndObject().Key("taskResources").BeginObject();
  for (const ResourceRequest& request : profile.task) {
    json->Key(request.key).BeginObject().Member("resourceName", request.name).Key("amount");
    WriteReal(request.task_amount, json);
    json->EndObject();
  }
  json->EndObject().EndObject();
}

}  // namespace

HistoryAnswer AnswerEnvironment(const History& history) {
  const HistoryEnvironment& environment = history.environment;
  JsonWriter json;
  json.BeginObject().Key("runtime").BeginObject();
  WriteText("javaVersion", environment.java_version, &json);
  WriteText("javaHome", environment.java_home, &json);
  WriteText("scalaVersion", environment.scala_version, &json);
  json.EndObject();
  WriteSettings("sparkProperties", environment.spark, &json);
  WriteSettings("hadoopProperties", environment.hadoop, &json);
  WriteSettings("systemProperties", environment.system, &json);
  WriteSettings("metricsProperties", environment.metrics, &json);
  WriteSettings("classpathEntries", environment.classpath, &json);
  json.Key("resourceProfiles").BeginArray();
  for (const auto& [id, profile] : history.resource_profiles) WriteProfile(id, profile, &json);
  json.EndArray().EndObject();
  return JsonAnswer(&json);
}

}  // namespace sparkprof
