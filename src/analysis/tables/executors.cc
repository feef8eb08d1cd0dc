// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analysis/machines/executor_memory.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "analysis/time/stage_totals.h"
#include "base/text/contains.h"

namespace sparkprof {
namespace {

// The names of the executors' peaks, in order of first sight.
std::vector<std::string> PeakNames(const std::vector<Executor>& executors) {
  std::vector<std::string> names;
  for (const Executor& executor : executors) {
    for (const auto& [name, value] : executor.peak_metrics) {
      if (!Contains(names, name)) names.push_back(name);
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
  const MemberCells of(&executors);
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
  // Tasks that ran again are among the failed ones, too.
  const auto all_tasks = [totals, &executors](size_t row) {
    int64_t sum = -executors[row].resubmitted_tasks;
    for (const int64_t one : (*totals)[row].count) sum += one;
    return Cell(sum);
  };
  Table table{.name = "executors", .rows = executors.size(), .columns = {}};
  auto& columns = table.columns;
  columns = {
      {"id", "ID of the executor, or driver", kText, kEverywhere,
       of.Of([](const Executor& executor) { return std::string_view(executor.id); }), ColumnRole::kExecutor},
      {"host", "host", kText, kEverywhere, of.Text(&Executor::host)},
      {"isActive", "it was not removed; the end of an application removes none", kBoolean, kHidden,
       of.Of([](const Executor& executor) { return executor.remove_ns == 0; })},
      {"totalCores", "cores", kInteger, kEverywhere, of.Value(&Executor::cores)},
      {"activeTasks", "tasks that run", kInteger, kHidden, count(TaskOutcome::kRunning)},
      {"completedTasks", "tasks that succeeded", kInteger, kShown, count(TaskOutcome::kSucceeded)},
      {"failedTasks", "tasks that failed, or ran again because their output was lost", kInteger, kEverywhere,
       count(TaskOutcome::kFailed)},
      {"killedTasks", "tasks that were killed", kInteger, kHidden, count(TaskOutcome::kKilled)},
      {"totalTasks", "all of these; those that ran again once", kInteger, kOnPage, all_tasks},
      {"totalDuration", "sum of the durations of its tasks", kMillis, kShown,
       [totals](size_t row) { return MillisCell((*totals)[row].duration_ns); }},
      {"totalGCTime", "time of its tasks during garbage collection", kMillis, kShown,
       metric(&ExecutorTotals::gc_ns, true)},
      {"totalInputBytes", "bytes that its tasks read from storage", kBytes, kShown,
       metric(&ExecutorTotals::input_bytes, false)},
      {"totalShuffleRead", "bytes that its tasks read from the shuffle", kBytes, kShown,
       metric(&ExecutorTotals::shuffle_read_bytes, false)},
      {"totalShuffleWrite", "bytes that its tasks wrote to the shuffle", kBytes, kShown,
       metric(&ExecutorTotals::shuffle_write_bytes, false)},
      {"maxMemory", "memory for storage and execution", kBytes, kOnPage, of.Value(&Executor::max_memory_bytes)},
      {"addTime", "time when it was added", kTime, kOnPage, of.Time(&Executor::add_ns), ColumnRole::kBegin},
      {"removeTime", "time when it was removed; null if it was not", kTime, kOnPage, of.Time(&Executor::remove_ns),
       ColumnRole::kEnd},
      {"removeReason", "why it was removed", kLongText, kEverywhere, of.Text(&Executor::remove_reason)},
      {"resourceProfileId", "resource profile; 0 is the default", kInteger, kHidden,
       of.Value(&Executor::resource_profile)},
  };
  const auto peak_heaps = std::make_shared<const std::vector<int64_t>>(PeakHeapsOf(application));
  for (const std::string& peak : PeakNames(executors)) {
    if (peak == kPeakHeap) {
      columns.push_back({"peakMemoryMetrics." + peak,
                         "maximum of the used heap, by Spark's metric or the JVM's counter", kBytes, kOnPage,
                         [peak_heaps](size_t row) {
                           const int64_t bytes = (*peak_heaps)[row];  // 0 = unknown
                           return bytes > 0 ? Cell(bytes) : Cell();
                         }});
      continue;
    }
    columns.push_back({"peakMemoryMetrics." + peak, "maximum of this executor metric of Spark", TypeOfPeak(peak),
                       kOnPage, [&executors, peak](size_t row) {
                         for (const auto& [name, value] : executors[row].peak_metrics) {
                           if (name == peak) return Cell(value);
                         }
                         return Cell();
                       }});
  }
  return table;
}

}  // namespace sparkprof
