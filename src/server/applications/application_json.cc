// SPDX-License-Identifier: Apache-2.0
#include "server/applications/application_json.h"

#include <algorithm>

#include "base/time.h"

namespace sparkprof {
namespace {

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
  json->Member("startTime", row.start_ns / kNanosPerMilli);
  json->MemberOrNull("endTime", row.status != ApplicationStatus::kRunning, row.end_ns / kNanosPerMilli);
  json->Member("durationMs", std::max<int64_t>(0, row.end_ns - row.start_ns) / kNanosPerMilli);
  json->MemberOrNull("tasks", row.tasks != kUnknownTotal, row.tasks);
  json->MemberOrNull("cpuSeconds", row.cpu_ns != kUnknownTotal,
                     static_cast<double>(row.cpu_ns) / static_cast<double>(kNanosPerSecond));
  json->MemberOrNull("findings", row.findings != kUnknownTotal, row.findings).Member("topFinding", row.top_finding);
  json->MemberOrNull("savingMs", row.saving_ns != kUnknownTotal, row.saving_ns / kNanosPerMilli);
  WriteCostOf(row.core_ms, row.memory_mib_s, prices, json);
  json->Member("totals", TotalsOf(row));
  json->Member("version", row.job_version).Member("sparkVersion", row.spark_version).EndObject();
}

}  // namespace sparkprof
