// SPDX-License-Identifier: Apache-2.0
#include "render/report/answers_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "base/time.h"

namespace sparkprof {
namespace {

void WriteText(std::string_view key, const std::string& text, JsonWriter* json) {
  json->MemberOrNull(key, !text.empty(), text);
}

void WriteTime(std::string_view key, int64_t time_ns, JsonWriter* json) {
  json->MemberOrNull(key, time_ns != 0, time_ns / kNanosPerMilli);
}

}  // namespace

void WriteOwners(const CpuOwners& owners, JsonWriter* json) {
  json->Key("owners").BeginArray();
  for (const CpuOwner& owner : owners.owners) {
    json->BeginObject()
        .Member("owner", owner.name)
        .Member("kind", OwnerKindName(owner.kind))
        .Member("cpuMs", owner.cpu_ns / kNanosPerMilli);
    if (owner.garbage_ns > 0) json->Member("gcCpuMs", owner.garbage_ns / kNanosPerMilli);
    json->EndObject();
  }
  json->EndArray().MemberOrNull("ownedShare", owners.processes_ns > 0, owners.Share());
}

void WriteUdf(const UdfCost& udf, JsonWriter* json) {
  json->BeginObject()
      .Member("name", udf.name)
      .Member("file", udf.file)
      .Member("line", udf.line)
      .Member("evalType", EvalTypeName(udf.eval_type))
      .Member("stages", udf.stages)
      .Member("cpuNs", udf.cpu_ns)
      .Member("wallNs", udf.wall_ns)
      .Member("samples", udf.samples);
  if (udf.rows) json->Member("rows", *udf.rows);
  json->EndObject();
}

void WriteWaits(const StageWaits& waits, JsonWriter* json) {
  json->Member("stageId", waits.stage)
      .Member("jvmBusyPythonBusy", waits.jvm_busy_python_busy)
      .Member("jvmBusyPythonWaiting", waits.jvm_busy_python_waiting)
      .Member("jvmWaitingPythonBusy", waits.jvm_waiting_python_busy)
      .Member("bothWaiting", waits.both_waiting);
}

void WriteLogErrors(const std::vector<LogError>& errors, ErrorMembers members, JsonWriter* json, size_t max_errors) {
  json->BeginArray();
  for (size_t i = 0; i < std::min(errors.size(), max_errors); ++i) {
    const LogError& error = errors[i];
    json->BeginObject().Member("fingerprint", fmt::format("{:016x}", error.fingerprint));
    if (members != ErrorMembers::kContract) json->Member("level", LogLevelName(error.level));
    json->Member("message", error.message);
    WriteText("exception", error.exception, json);
    WriteText("rootCause", error.root_cause, json);
    if (members == ErrorMembers::kLevelAndStack) json->Member("stack", error.stack);
    json->Member("count", error.count);
    WriteTime("first", error.first_ns, json);
    WriteTime("last", error.last_ns, json);
    json->Member("where", error.where).EndObject();
  }
  json->EndArray();
}

void WriteCosts(const Costs& costs, JsonWriter* json) {
  json->BeginObject().Member("total", costs.Total()).Member("tasks", costs.OfTasks());
  json->Member("currency", costs.Currency()).EndObject();
}

void WriteSavedCost(const Costs& costs, const Finding& finding, JsonWriter* json) {
  const CostRange saved = costs.OfSaving(finding);
  json->BeginObject().Member("low", saved.low).Member("high", saved.high);
  json->Member("currency", costs.Currency()).EndObject();
}

}  // namespace sparkprof
