// SPDX-License-Identifier: Apache-2.0
#include "server/applications/application_json.h"

#include <algorithm>

#include "base/time.h"

namespace sparkprof {
namespace {

void WriteTotal(int64_t total, JsonWriter* json) { total == kUnknownTotal ? json->Null() : json->Value(total); }

std::string_view TotalsOf(const ApplicationRow& row) {
  if (row.tasks == kUnknownTotal && row.findings == kUnknownTotal) return "unknown";
  const bool is_partial = row.status == ApplicationStatus::kRunning || row.status == ApplicationStatus::kIncomplete;
  return is_partial ? "partial" : "complete";
}

}  // namespace

std::optional<double> CostOf(int64_t core_ms, int64_t memory_mib_s, const std::optional<PriceList>& prices) {
  constexpr double kMillisPerHour = 3.6e6, kMibSecondsPerGbHour = 1024 * 3600.0;
  if (!prices) return std::nullopt;
  return prices->KnownCost(static_cast<double>(core_ms) / kMillisPerHour,
                           static_cast<double>(memory_mib_s) / kMibSecondsPerGbHour);
}

void WriteCostOf(int64_t core_ms, int64_t memory_mib_s, const std::optional<PriceList>& prices, JsonWriter* json) {
  if (!prices) return;
  json->Key("cost");
  if (const std::optional<double> cost = CostOf(core_ms, memory_mib_s, prices)) {
    json->BeginObject().Member("total", *cost).Member("currency", prices->currency).EndObject();
  } else {
    json->Null();
  }
}

void WriteApplicationRow(const ApplicationRow& row, const std::optional<PriceList>& prices, JsonWriter* json) {
  json->BeginObject().Member("id", row.key.id).Member("attempt", row.key.attempt).Member("name", row.name);
  json->Member("user", row.user).Member("group", row.group).Member("status", StatusName(row.status));
  json->Member("startTime", row.start_ns / kNanosPerMilli).Key("endTime");
  if (row.status == ApplicationStatus::kRunning) {
    json->Null();
  } else {
    json->Value(row.end_ns / kNanosPerMilli);
  }
  json->Member("durationMs", std::max<int64_t>(0, row.end_ns - row.start_ns) / kNanosPerMilli);
  json->Key("tasks");
  WriteTotal(row.tasks, json);
  json->Key("cpuSeconds");
  if (row.cpu_ns == kUnknownTotal) {
    json->Null();
  } else {
    json->Value(static_cast<double>(row.cpu_ns) / static_cast<double>(kNanosPerSecond));
  }
  json->Key("findings");
  WriteTotal(row.findings, json);
  json->Member("topFinding", row.top_finding).Key("savingMs");
  WriteTotal(row.saving_ns == kUnknownTotal ? kUnknownTotal : row.saving_ns / kNanosPerMilli, json);
  WriteCostOf(row.core_ms, row.memory_mib_s, prices, json);
  json->Member("totals", TotalsOf(row));
  json->Member("version", row.job_version).Member("sparkVersion", row.spark_version).EndObject();
}

}  // namespace sparkprof
