// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/tables/task_metric_columns.h"
#include "analysis/time/stage_totals.h"

namespace sparkprof {
namespace {

// The names of the executors' peaks, in order of first sight.
std::vector<std::string> PeakNames(const std::vector<Executor>& executors) {
  std::vector<std::string> names;
  for (const Executor& executor : executors) {
    for (const auto& [name, value] : executor.peak_metrics) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  return names;
}

// Spark's peaks are bytes, but for those of garbage collections.
ColumnType TypeOfPeak(std::string_view name) {
  if (name.ends_with("Time")) return ColumnType::kMillis;
  return name.ends_with("Count") ? ColumnType::kInteger : ColumnType::kBytes;
}

}  // namespace

Table ExecutorsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto totals = std::make_shared<const std::vector<ExecutorTotals>>(TotalsOfExecutors(application));
  const auto& executors = application.executors;
  const bool known = application.tasks.Size() == 0 || HasTaskMetrics(application.tasks);
  const auto count = [totals](TaskOutcome outcome) {
    return [totals, outcome](size_t row) { return Cell((*totals)[row].count[static_cast<size_t>(outcome)]); };
  };
  const auto metric = [totals, known](int64_t ExecutorTotals::*member, bool in_millis) {
    return [=](size_t row) {
      const int64_t value = (*totals)[row].*member;
      if (!known) return Cell();
      return in_millis ? MillisCell(value) : Cell(value);
    };
  };
  const auto sum_of_counts = [totals](size_t row) {
    int64_t sum = 0;
    for (const int64_t one : (*totals)[row].count) sum += one;
    return Cell(sum);
  };
  Table table{.name = "executors", .rows = executors.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"id", kText, kShown, [&executors](size_t row) { return Cell(std::string_view(executors[row].id)); },
       ColumnRole::kExecutor},
      {"host", kText, kShown, [&executors](size_t row) { return TextCell(executors[row].host); }},
      // An application's end removes no executor, as in REST.
      {"isActive", kBoolean, kHidden, [&executors](size_t row) { return Cell(executors[row].remove_ns == 0); }},
      {"totalCores", kInteger, kShown, [&executors](size_t row) { return Cell(executors[row].cores); }},
      {"activeTasks", kInteger, kHidden, count(TaskOutcome::kRunning)},
      {"completedTasks", kInteger, kShown, count(TaskOutcome::kSucceeded)},
      {"failedTasks", kInteger, kShown, count(TaskOutcome::kFailed)},
      {"killedTasks", kInteger, kHidden, count(TaskOutcome::kKilled)},
      {"totalTasks", kInteger, kHidden, sum_of_counts},
      {"totalDuration", kMillis, kShown, [totals](size_t row) { return MillisCell((*totals)[row].duration_ns); }},
      {"totalGCTime", kMillis, kShown, metric(&ExecutorTotals::gc_ns, true)},
      {"totalInputBytes", kBytes, kShown, metric(&ExecutorTotals::input_bytes, false)},
      {"totalShuffleRead", kBytes, kShown, metric(&ExecutorTotals::shuffle_read_bytes, false)},
      {"totalShuffleWrite", kBytes, kShown, metric(&ExecutorTotals::shuffle_write_bytes, false)},
      {"maxMemory", kBytes, kHidden, [&executors](size_t row) { return Cell(executors[row].max_memory_bytes); }},
      {"addTime", kTime, kHidden, [&executors](size_t row) { return TimeCell(executors[row].add_ns); },
       ColumnRole::kBegin},
      {"removeTime", kTime, kHidden, [&executors](size_t row) { return TimeCell(executors[row].remove_ns); },
       ColumnRole::kEnd},
      {"removeReason", kLongText, kShown, [&executors](size_t row) { return TextCell(executors[row].remove_reason); }},
      {"resourceProfileId", kInteger, kHidden,
       [&executors](size_t row) { return Cell(executors[row].resource_profile); }},
  };
  for (const std::string& peak : PeakNames(executors)) {
    columns.push_back({"peakMemoryMetrics." + peak, TypeOfPeak(peak), kHidden, [&executors, peak](size_t row) {
                         for (const auto& [name, value] : executors[row].peak_metrics) {
                           if (name == peak) return Cell(value);
                         }
                         return Cell();
                       }});
  }
  return table;
}

}  // namespace sparkprof
