// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/process_rows.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string_view>
#include <tuple>

#include "base/time.h"

namespace sparkprof {
namespace {

// CPU is counted in ticks of 10 ms, so its share over shorter times is too imprecise.
constexpr int64_t kShortestWindowNs = 150 * kNanosPerMilli;

// Two monitors of a host compute a process's start from clocks read at slightly different times.
constexpr int64_t kSameStartNs = 2 * kNanosPerSecond;

using SeriesByName = std::map<std::string_view, const ApplicationSeries*>;

std::optional<int64_t> Last(const SeriesByName& series, std::string_view name) {
  const auto found = series.find(name);
  if (found == series.end() || found->second->points.empty()) return std::nullopt;
  return static_cast<int64_t>(found->second->points.back().value);
}

std::optional<int64_t> LargestOf(const SeriesByName& series, std::string_view name) {
  const auto found = series.find(name);
  if (found == series.end() || found->second->points.empty()) return std::nullopt;
  double maximum = 0;
  for (const SeriesPoint& point : found->second->points) maximum = std::max(maximum, point.value);
  return static_cast<int64_t>(maximum);
}

// The maximum increase over a window, as a share of a core; starts at the process's start if known.
double MaximumCpuPercent(const SeriesByName& series, int64_t started_ns) {
  const auto found = series.find("process.cpu_ns");
  if (found == series.end()) return 0;
  std::vector<SeriesPoint> points = found->second->points;
  // A clock that was set back can place the start after later events.
  if (started_ns > 0 && !points.empty() && started_ns < points.front().time_ns)
    points.insert(points.begin(), {started_ns, 0});
  double maximum = 0;
  size_t begin = 0;
  for (size_t end = 1; end < points.size(); ++end) {
    while (begin + 1 < end && points[end].time_ns - points[begin + 1].time_ns >= kShortestWindowNs) ++begin;
    const auto wall_ns = static_cast<double>(points[end].time_ns - points[begin].time_ns);
    if (wall_ns < static_cast<double>(kShortestWindowNs)) continue;
    maximum = std::max(maximum, 100 * (points[end].value - points[begin].value) / wall_ns);
  }
  return maximum;
}

ProcessRow RowOf(const Application& application, const ApplicationProcess& recorded, const SeriesByName& series) {
  const Process& process = recorded.process;
  ProcessRow row;
  row.pid = process.pid;
  row.start_ticks = process.start_ticks;
  row.started_ns = process.started_ns;
  row.is_of_node = application.is_node;
  row.parent_pid = process.parent_pid;
  row.name = process.name;
  row.command = process.command;
  row.container_id = process.container_id;
  row.user = process.user;
  row.executor_id = process.executor_id;
  row.application_id = application.is_node ? process.application_id : application.id;
  if (recorded.executor >= 0) {
    const Executor& executor = application.executors[static_cast<size_t>(recorded.executor)];
    row.executor_id = executor.id;
    row.host = executor.host;
  }
  for (const ProfilerSetting& setting : application.settings) {
    if (application.is_node && setting.name == "monitor.host") row.host = setting.value;
  }
  row.type = ProcessType(process.role, row.executor_id);
  row.start_ns = process.started_ns != 0 ? process.started_ns : process.first_seen_ns;
  row.ended = process.ended;
  row.end_ns = process.last_seen_ns;
  for (const auto& [name, one] : series) {
    if (!row.ended && !one->points.empty()) row.end_ns = std::max(row.end_ns, one->points.back().time_ns);
  }
  if (row.start_ns > row.end_ns) row.start_ns = std::min(process.first_seen_ns, row.end_ns);
  row.cpu_ns = Last(series, "process.cpu_ns").value_or(0);
  row.max_cpu_percent = MaximumCpuPercent(series, process.started_ns);
  row.max_rss_bytes = std::max(LargestOf(series, "process.rss_bytes"), LargestOf(series, "process.rss_peak_bytes"));
  row.max_private_bytes = LargestOf(series, "process.private_bytes");
  row.max_virtual_bytes = LargestOf(series, "process.virtual_bytes");
  row.max_threads = LargestOf(series, "process.threads");
  row.read_bytes = Last(series, "process.read_bytes");
  row.write_bytes = Last(series, "process.write_bytes");
  return row;
}

// Adds CPU time of ended children without a row: recorded by a monitor, otherwise computed from those with one.
void AddUnlistedChildren(const std::vector<SeriesByName>& series, std::vector<ProcessRow>* rows) {
  std::map<int64_t, std::vector<size_t>> children;  // rows by parent
  for (size_t i = 0; i < rows->size(); ++i) children[(*rows)[i].parent_pid].push_back(i);
  // Rows from the first to end: those below a row ended before it did.
  std::vector<size_t> order(rows->size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, [&](size_t a, size_t b) { return (*rows)[a].end_ns < (*rows)[b].end_ns; });
  std::vector<int64_t> unlisted_ns(rows->size());
  std::vector<int64_t> listed_ns(rows->size());  // the row and all below it
  for (const size_t i : order) {
    const ProcessRow& parent = (*rows)[i];
    int64_t of_children_ns = 0;
    for (const size_t child : children[parent.pid]) {
      const ProcessRow& ended = (*rows)[child];
      if (ended.end_ns < parent.end_ns && ended.start_ns >= parent.start_ns) of_children_ns += listed_ns[child];
    }
    const int64_t children_ns = Last(series[i], "process.children_cpu_ns").value_or(0);
    // A parent that ended with its children was not read again after it waited for them.
    listed_ns[i] = parent.cpu_ns + std::max(children_ns, of_children_ns);
    unlisted_ns[i] = Last(series[i], "process.unlisted_children_cpu_ns").value_or(children_ns - of_children_ns);
  }
  for (size_t i = 0; i < rows->size(); ++i) (*rows)[i].cpu_ns += std::max<int64_t>(0, unlisted_ns[i]);
}

// In each recording, counters start at the process's start.
void AddDay(const ProcessRow& later, ProcessRow* row) {
  for (std::string ProcessRow::*field : {&ProcessRow::application_id, &ProcessRow::executor_id,
                                         &ProcessRow::container_id, &ProcessRow::user, &ProcessRow::command}) {
    if ((row->*field).empty()) row->*field = later.*field;
  }
  row->start_ns = std::min(row->start_ns, later.start_ns);
  row->end_ns = std::max(row->end_ns, later.end_ns);
  row->ended = row->ended || later.ended;
  row->cpu_ns = std::max(row->cpu_ns, later.cpu_ns);
  row->max_cpu_percent = std::max(row->max_cpu_percent, later.max_cpu_percent);
  for (std::optional<int64_t> ProcessRow::*field :
       {&ProcessRow::max_rss_bytes, &ProcessRow::max_private_bytes, &ProcessRow::max_virtual_bytes,
        &ProcessRow::max_threads, &ProcessRow::read_bytes, &ProcessRow::write_bytes}) {
    row->*field = std::max(row->*field, later.*field);
  }
}

}  // namespace

std::string ProcessType(const std::string& role, const std::string& executor_id) {
  if (role != "jvm") return role.empty() ? "other" : role;
  return executor_id == "driver" ? "jvm_driver" : "jvm_executor";
}

std::vector<ProcessRow> ProcessRows(const Application& application) {
  std::vector<SeriesByName> series(application.processes.size());
  for (const ApplicationSeries& one : application.series) {
    if (one.process >= 0) series[static_cast<size_t>(one.process)][one.name] = &one;
  }
  std::vector<ProcessRow> rows;
  for (size_t i = 0; i < application.processes.size(); ++i) {
    rows.push_back(RowOf(application, application.processes[i], series[i]));
  }
  AddUnlistedChildren(series, &rows);
  std::ranges::stable_sort(rows, [](const ProcessRow& a, const ProcessRow& b) {
    return std::tie(a.start_ns, a.pid) < std::tie(b.start_ns, b.pid);
  });
  return rows;
}

void MergeDays(std::vector<std::vector<ProcessRow>>* rows) {
  // Host, PID, start ticks. After a reboot, another process may have the same.
  std::map<std::tuple<std::string, int64_t, int64_t>, std::vector<ProcessRow*>> known;
  for (std::vector<ProcessRow>& of_recording : *rows) {
    std::vector<ProcessRow> kept;
    kept.reserve(of_recording.size());  // so that pointers in `known` stay valid
    for (ProcessRow& row : of_recording) {
      if (!row.is_of_node) {
        kept.push_back(std::move(row));
        continue;
      }
      std::vector<ProcessRow*>& alike = known[{row.host, row.pid, row.start_ticks}];
      const auto same = std::ranges::find_if(alike, [&row](const ProcessRow* other) {
        return std::abs(other->started_ns - row.started_ns) < kSameStartNs;
      });
      if (same != alike.end()) {
        AddDay(row, *same);
        continue;
      }
      kept.push_back(std::move(row));
      alike.push_back(&kept.back());
    }
    of_recording = std::move(kept);  // moves the elements' storage: pointers stay valid
  }
}

}  // namespace sparkprof
