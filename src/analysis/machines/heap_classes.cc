// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/heap_classes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "analysis/selection/time_range.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

std::string_view ExecutorId(const Application& application, int32_t row) {
  return row < 0 ? std::string_view("unknown") : application.executors[static_cast<size_t>(row)].id;
}

bool IsSelected(const Application& application, const ApplicationHeapSummary& row, const Selection& selection) {
  const int64_t since_start_ns = row.summary.time_ns - RangeOf(application).start_ns;
  return (!selection.executor || ExecutorId(application, row.executor) == *selection.executor) &&
         (!selection.from_ns || since_start_ns >= *selection.from_ns) &&
         (!selection.to_ns || since_start_ns < *selection.to_ns);
}

void AddHeapObjects(const HeapObjects& objects, HeapObjects* sum) {
  AddSaturated(objects.instances, &sum->instances);
  AddSaturated(objects.bytes, &sum->bytes);
}

}  // namespace

HeapChange HeapChangeOf(const Application& application, const Selection& selection) {
  HeapChange change;
  std::map<int32_t, std::pair<const HeapSummary*, const HeapSummary*>> of_executor;  // first and last
  for (const ApplicationHeapSummary& row : application.heap_summaries) {
    if (!IsSelected(application, row, selection)) continue;
    change.summaries.push_back(&row);
    of_executor.try_emplace(row.executor, &row.summary, &row.summary).first->second.second = &row.summary;
  }
  std::unordered_map<StringId, HeapClassChange> classes;
  const auto add = [&](const HeapSummary& summary, HeapObjects HeapClassChange::*side, HeapObjects* total) {
    AddHeapObjects(summary.Total(), total);
    for (const HeapClass& row : summary.classes) AddHeapObjects(row.objects, &(classes[row.name].*side));
  };
  for (const auto& [executor, summaries] : of_executor) {
    change.is_known |= summaries.first != summaries.second;
    add(*summaries.first, &HeapClassChange::before, &change.before);
    add(*summaries.second, &HeapClassChange::now, &change.now);
  }
  for (auto& [name, row] : classes) {
    row.name = application.profile.strings.Get(name);
    change.classes.push_back(row);
  }
  std::ranges::sort(change.classes, [](const HeapClassChange& a, const HeapClassChange& b) {
    return std::tie(b.now.bytes, a.name) < std::tie(a.now.bytes, b.name);
  });
  return change;
}

std::string ExecutorsWithHeapSummaries(const Application& application) {
  std::set<int32_t> rows;
  for (const ApplicationHeapSummary& row : application.heap_summaries) rows.insert(row.executor);
  std::vector<std::string_view> ids;
  for (const int32_t row : rows) ids.push_back(ExecutorId(application, row));
  return fmt::format("{}", fmt::join(ids, ", "));
}

}  // namespace sparkprof
