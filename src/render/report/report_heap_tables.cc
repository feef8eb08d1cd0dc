// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <unordered_map>

#include "analysis/selection/time_range.h"
#include "base/time.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxSummaries = 2000;
constexpr size_t kMaxRows = 60'000;
constexpr size_t kFewestClasses = 20;  // per summary

// Every nth summary of each JVM, and its last one.
std::vector<const ApplicationHeapSummary*> Evenly(const Application& application) {
  std::map<int32_t, std::vector<const ApplicationHeapSummary*>> of_executor;
  for (const ApplicationHeapSummary& row : application.heap_summaries) of_executor[row.executor].push_back(&row);
  const size_t step = (application.heap_summaries.size() + kMaxSummaries - 1) / kMaxSummaries;
  std::vector<const ApplicationHeapSummary*> chosen;
  for (const auto& [executor, rows] : of_executor) {
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i % step == 0 || i + 1 == rows.size()) chosen.push_back(rows[i]);
    }
  }
  return chosen;
}

void WriteSummaries(const std::vector<const ApplicationHeapSummary*>& summaries, const ChosenRows& rows,
                    JsonWriter* json) {
  json->Key("summaries").BeginArray();
  for (const ApplicationHeapSummary* row : summaries) {
    const HeapObjects total = row->summary.Total();
    json->BeginObject()
        .Member("time", row->summary.time_ns / kNanosPerMilli)
        .Member("executor", rows.Executor(row->executor))
        .Member("pauseMs", static_cast<double>(row->summary.pause_ns) / kNanosPerMilli)
        .Member("instances", total.instances)
        .Member("bytes", total.bytes)
        .EndObject();
  }
  json->EndArray();
}

}  // namespace

void WriteHeap(const Application& application, const ChosenRows& rows, ColumnArea* columns, JsonWriter* json) {
  if (application.heap_summaries.empty()) return;
  const std::vector<const ApplicationHeapSummary*> summaries = Evenly(application);
  const size_t classes_of_summary = std::max(kFewestClasses, kMaxRows / summaries.size());
  std::vector<StringId> names;
  std::unordered_map<StringId, uint32_t> name_rows;
  std::vector<uint32_t> summary_column, class_column;
  std::vector<double> instances, bytes;
  for (uint32_t i = 0; i < summaries.size(); ++i) {
    const std::vector<HeapClass>& classes = summaries[i]->summary.classes;
    for (size_t row = 0; row < std::min(classes.size(), classes_of_summary); ++row) {
      const auto [place, is_new] = name_rows.try_emplace(classes[row].name, static_cast<uint32_t>(names.size()));
      if (is_new) names.push_back(classes[row].name);
      summary_column.push_back(i);
      class_column.push_back(place->second);
      instances.push_back(static_cast<double>(classes[row].objects.instances));
      bytes.push_back(static_cast<double>(classes[row].objects.bytes));
    }
  }
  json->Key("heap").BeginObject().Key("classes").BeginArray();
  for (const StringId name : names) json->Value(application.profile.strings.Get(name));
  json->EndArray();
  WriteSummaries(summaries, rows, json);
  json->Key("rows").BeginObject();
  columns->Add("summary", summary_column, json);
  columns->Add("class", class_column, json);
  columns->Add("instances", instances, json);
  columns->Add("bytes", bytes, json);
  json->EndObject().EndObject();
}

}  // namespace sparkprof
