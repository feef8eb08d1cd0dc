// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "analysis/findings/rules.h"
#include "analysis/python/held_lines.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kMuchWorkerGrowth = int64_t{256} << 20;
constexpr int64_t kSampleBucketNs = kNanosPerSecond;
constexpr size_t kLinesShown = 3;

// A Python worker with growing resident memory.
struct GrowingWorker {
  const ApplicationProcess* process = nullptr;
  std::vector<SeriesPoint> memory;  // resident, from the start of its first task
  int64_t first_bytes = 0;
  int64_t peak_bytes = 0;

  int64_t Growth() const { return peak_bytes - first_bytes; }
};

bool IsTaskOf(const PythonTask& task, const Process& process) {
  return task.pid == process.pid && task.start_ticks == process.start_ticks && task.task != kNoTask;
}

// A worker starts as a copy of its daemon, and may have grown before its first reading.
std::optional<SeriesPoint> PointAtStart(const Application& application, const ApplicationProcess& worker,
                                        const SeriesPoint& first) {
  SeriesPoint start{0, 0};
  for (const PythonTask& task : application.python_tasks) {
    const bool is_earlier = start.time_ns == 0 || task.begin_ns < start.time_ns;
    if (IsTaskOf(task, worker.process) && is_earlier) start.time_ns = task.begin_ns;
  }
  if (start.time_ns == 0 || start.time_ns >= first.time_ns) return std::nullopt;
  for (const ApplicationSeries& series : application.series) {
    if (series.name != "process.rss_bytes" || series.process < 0) continue;
    const ApplicationProcess& other = application.processes[static_cast<size_t>(series.process)];
    const bool is_daemon = other.process.role == "python_daemon" && other.executor == worker.executor &&
                           other.process.pid == worker.process.parent_pid;
    for (const SeriesPoint& point : series.points) {
      if (is_daemon && point.time_ns <= first.time_ns) start.value = point.value;
    }
  }
  return start.value == 0 || start.value >= first.value ? std::nullopt : std::optional(start);
}

// Workers that grow much, largest growth first.
std::vector<GrowingWorker> GrowingWorkers(const Application& application) {
  std::vector<GrowingWorker> workers;
  for (const ApplicationSeries& series : application.series) {
    if (series.process < 0 || series.points.empty() || series.name != "process.rss_bytes") continue;
    GrowingWorker worker;
    worker.process = &application.processes[static_cast<size_t>(series.process)];
    if (worker.process->process.role != "python_worker") continue;
    worker.memory = series.points;
    const auto start = PointAtStart(application, *worker.process, series.points.front());
    if (start) worker.memory.insert(worker.memory.begin(), *start);
    worker.first_bytes = static_cast<int64_t>(worker.memory.front().value);
    for (const SeriesPoint& point : worker.memory) {
      worker.peak_bytes = std::max(worker.peak_bytes, static_cast<int64_t>(point.value));
    }
    if (worker.Growth() >= kMuchWorkerGrowth) workers.push_back(worker);
  }
  std::sort(workers.begin(), workers.end(),
            [](const GrowingWorker& a, const GrowingWorker& b) { return a.Growth() > b.Growth(); });
  return workers;
}

// Tasks that a worker ran before its memory peaked.
std::set<int64_t> TasksOf(const Application& application, const GrowingWorker& worker) {
  const int64_t peak_ns =
      std::max_element(worker.memory.begin(), worker.memory.end(), [](const SeriesPoint& a, const SeriesPoint& b) {
        return a.value < b.value;
      })->time_ns;
  const Process& process = worker.process->process;
  std::set<int64_t> tasks;
  for (const PythonTask& task : application.python_tasks) {
    if (IsTaskOf(task, process) && task.begin_ns <= peak_ns) tasks.insert(task.task);
  }
  return tasks;
}

// The user's lines that ran while the worker's memory grew, with the bytes: an increase counts for the lines that used
// the CPU between the two readings.
std::vector<std::pair<int64_t, std::string>> GrowingLines(const Application& application, const GrowingWorker& worker) {
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu);
  std::vector<std::pair<int64_t, const Sample*>> samples;  // sorted by time
  for (const Sample& sample : application.python_samples) {
    const ProfileThread& thread = profile.threads[sample.thread];
    const bool is_own = thread.process == worker.process->process.pid && thread.executor == worker.process->executor;
    if (is_own && sample.event == cpu) samples.emplace_back(sample.time_ns, &sample);
  }
  std::sort(samples.begin(), samples.end());
  std::map<std::string, double> bytes_by_line;
  const std::vector<SeriesPoint>& points = worker.memory;
  for (size_t i = 1; i < points.size(); ++i) {
    const double growth = points[i].value - points[i - 1].value;
    if (growth <= 0) continue;
    auto sample = std::lower_bound(samples.begin(), samples.end(),
                                   std::pair<int64_t, const Sample*>(points[i - 1].time_ns - kSampleBucketNs, nullptr));
    std::map<std::string, double> weights;
    double total = 0;
    for (; sample != samples.end() && sample->first < points[i].time_ns; ++sample) {
      const auto weight = static_cast<double>(sample->second->weight);
      weights[UserLine(profile, sample->second->stack)] += weight;
      total += weight;
    }
    for (const auto& [line, weight] : weights) bytes_by_line[line] += growth * weight / total;
  }
  bytes_by_line.erase("");
  std::vector<std::pair<int64_t, std::string>> lines;
  for (const auto& [line, bytes] : bytes_by_line) lines.emplace_back(static_cast<int64_t>(bytes), line);
  std::sort(lines.rbegin(), lines.rend());
  return lines;
}

}  // namespace

std::optional<Finding> FindGrowingWorkers(const FindingInput& input) {
  const Application& application = input.application;
  const std::vector<GrowingWorker> workers = GrowingWorkers(application);
  if (workers.empty()) return std::nullopt;
  const GrowingWorker& largest = workers.front();
  const std::vector<std::pair<int64_t, std::string>> lines = GrowingLines(application, largest);
  if (lines.empty()) return std::nullopt;
  const std::set<int64_t> tasks = TasksOf(application, largest);
  Finding finding;
  finding.title = fmt::format("{} Python worker{} by up to {}", workers.size(),
                              workers.size() == 1 ? " grows" : "s grow", FormatBytes(largest.Growth()));
  finding.what = fmt::format("The Python worker {} grew from {} to {}", largest.process->process.pid,
                             FormatBytes(largest.first_bytes), FormatBytes(largest.peak_bytes));
  if (!tasks.empty()) {
    const auto count = static_cast<int64_t>(tasks.size());
    finding.what += fmt::format(" over {} task{}, {} per task", count, count == 1 ? "" : "s",
                                FormatBytes(largest.Growth() / count));
  }
  finding.evidence = "while its memory grew, it ran";
  for (size_t i = 0; i < std::min(lines.size(), kLinesShown); ++i) {
    finding.evidence +=
        fmt::format("{} {} (about {})", i == 0 ? "" : ",", lines[i].second, FormatBytes(lines[i].first));
    finding.frames.push_back(lines[i].second);
  }
  finding.condition =
      fmt::format("The resident memory of a Python worker grows by at least {} while the user's code runs",
                  FormatBytes(kMuchWorkerGrowth));
  finding.risk = kRiskOfGrowth;
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.tasks.assign(tasks.begin(), tasks.end());
  finding.change =
      "Yield rows instead of collecting them in a list, keep nothing in global variables from one task to the next, "
      "and "
      "process smaller batches (spark.sql.execution.arrow.maxRecordsPerBatch). spark.executor.pyspark.memory limits "
      "each worker";
  return finding;
}

}  // namespace sparkprof
