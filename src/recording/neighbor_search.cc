// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "base/time.h"
#include "model/segment/counter_steps.h"
#include "recording/node_join.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxByCpu = 8;
constexpr int64_t kMaxSteps = 600;
// Processes with less usage cannot slow down others.
constexpr double kLeastCpuNs = 0.5 * kNanosPerSecond;
constexpr double kLeastDiskBytes = 16 << 20;
// Monitors read other processes every 10 s by default.
constexpr int64_t kLongestGapNs = 120 * kNanosPerSecond;
constexpr int64_t kYoungNs = 60 * kNanosPerSecond;

struct Span {
  int64_t begin_ns = 0, end_ns = 0;
};

// The time span in which the application's own sources wrote.
Span SpanOf(const RecordedApplication& application) {
  Span span;
  for (const RecordedSource& source : application.sources) {
    if (IsNode(source)) continue;
    for (const RecordedSegment& segment : source.segments) {
      for (const ClockAnchor& anchor : segment.Anchors()) {
        if (span.begin_ns == 0 || anchor.epoch_ns < span.begin_ns) span.begin_ns = anchor.epoch_ns;
        span.end_ns = std::max(span.end_ns, anchor.epoch_ns);
      }
    }
  }
  return span;
}

// IDs of the application's executors on the host that booted as `boot_id`.
std::vector<std::string> ExecutorsOn(const std::string& boot_id, const RecordedApplication& application) {
  std::set<std::string> ids;
  for (const RecordedSource& source : application.sources) {
    for (const RecordedSegment& segment : source.segments) {
      const Source& of_segment = segment.GetSource();
      if (IsNode(source) || of_segment.boot_id != boot_id) continue;
      const bool is_driver = of_segment.role == "driver" || of_segment.role == "local";
      ids.insert(of_segment.executor_id.empty() && is_driver ? "driver" : of_segment.executor_id);
    }
  }
  ids.erase("");
  return {ids.begin(), ids.end()};
}

// Collects the points of a node's series by process.
class Readings {
 public:
  Readings(const RecordedSource& node, Span span) : span_(span) {
    for (const RecordedSegment& segment : node.segments) {
      const std::shared_ptr<const Segment> contents = segment.Contents();
      for (const Process& process : contents->processes) Describe(process);
      for (const Series& series : contents->series) Add(series);
    }
  }

  using Key = std::pair<int64_t, int64_t>;  // PID and start ticks
  struct OfProcess {
    Process process;
    std::vector<SeriesPoint> cpu, children, read, written;
  };

  const std::map<Key, OfProcess>& Processes() const { return processes_; }

  // Number of cores: the growth of the host's CPU time relative to the clock.
  double HostCores() const {
    double cores = 0;
    for (const auto& [name, points] : host_) {
      if (points.empty()) continue;
      const auto span_ns = static_cast<double>(points.back().time_ns - points.front().time_ns);
      if (span_ns > 0) cores += (points.back().value - points.front().value) / span_ns;
    }
    return std::round(cores);
  }

 private:
  void Describe(const Process& process) {
    Process& known = processes_[{process.pid, process.start_ticks}].process;
    std::string application = std::move(known.application_id);
    known = process;
    if (known.application_id.empty()) known.application_id = std::move(application);
  }

  void Add(const Series& series) {
    std::vector<SeriesPoint>* points = nullptr;
    if (series.pid == 0) {
      if (series.name.starts_with("host.cpu_")) points = &host_[series.name];
    } else {
      OfProcess& process = processes_[{series.pid, series.start_ticks}];
      if (series.name == "process.cpu_ns") points = &process.cpu;
      if (series.name == "process.unlisted_children_cpu_ns") points = &process.children;
      if (series.name == "process.read_bytes") points = &process.read;
      if (series.name == "process.write_bytes") points = &process.written;
    }
    if (points == nullptr) return;
    for (const SeriesPoint& point : series.points) {
      const bool is_near =
          point.time_ns >= span_.begin_ns - kLongestGapNs && point.time_ns <= span_.end_ns + kLongestGapNs;
      if (is_near) points->push_back(point);
    }
  }

  const Span span_;
  std::map<Key, OfProcess> processes_;
  std::map<std::string, std::vector<SeriesPoint>> host_;
};

double SumOf(const std::vector<double>& steps) { return std::accumulate(steps.begin(), steps.end(), 0.0); }

class Sums {
 public:
  explicit Sums(TimeSteps steps) : steps_(steps) {}

  void Add(const Readings::OfProcess& readings) {
    const Process& process = readings.process;
    std::vector<double> cpu_ns, disk_bytes;
    AddCounter(process, readings.cpu, &cpu_ns);
    AddGrowth(readings.children, steps_, kLongestGapNs, &cpu_ns);
    AddCounter(process, readings.read, &disk_bytes);
    AddCounter(process, readings.written, &disk_bytes);
    const double cpu = SumOf(cpu_ns);
    if (cpu <= 0 && SumOf(disk_bytes) <= 0) return;
    const bool is_of_spark = !process.application_id.empty();
    const auto [place, is_new] =
        rows_.try_emplace(is_of_spark ? std::tuple(process.application_id, std::string(), std::string())
                                      : std::tuple(std::string(), process.user, process.name));
    Row& row = place->second;
    Neighbor& sum = row.neighbor;
    sum.cpu_ns.resize(steps_.count);
    sum.disk_bytes.resize(steps_.count);
    for (size_t step = 0; step < steps_.count; ++step) {
      sum.cpu_ns[step] += cpu_ns[step];
      sum.disk_bytes[step] += disk_bytes[step];
    }
    ++sum.processes;
    if (!is_new && cpu <= row.largest_cpu_ns) return;
    row.largest_cpu_ns = cpu;
    sum.application_id = process.application_id;
    sum.user = process.user;
    sum.name = process.name;
  }

  // The largest by CPU, then of the remaining the largest by disk.
  std::vector<Neighbor> Take() {
    std::vector<Neighbor> all;
    for (auto& [key, row] : rows_) all.push_back(std::move(row.neighbor));
    const auto put_first = [&all](size_t from, std::vector<double> Neighbor::*steps, double least, size_t most) {
      std::stable_sort(all.begin() + static_cast<std::ptrdiff_t>(from), all.end(),
                       [&](const Neighbor& a, const Neighbor& b) { return SumOf(a.*steps) > SumOf(b.*steps); });
      size_t end = from;
      while (end < all.size() && end < most && SumOf(all[end].*steps) >= least) ++end;
      return end;
    };
    const size_t by_cpu = put_first(0, &Neighbor::cpu_ns, kLeastCpuNs, kMaxByCpu);
    all.resize(put_first(by_cpu, &Neighbor::disk_bytes, kLeastDiskBytes, kMaxNeighbors));
    return all;
  }

 private:
  struct Row {
    Neighbor neighbor;
    double largest_cpu_ns = 0;  // largest of one process
  };

  // Also counts usage before the first reading, if the process was young then.
  void AddCounter(const Process& process, const std::vector<SeriesPoint>& points, std::vector<double>* sums) const {
    AddGrowth(points, steps_, kLongestGapNs, sums);
    if (points.empty() || process.started_ns <= 0) return;
    const SeriesPoint first[] = {{process.started_ns, 0}, points.front()};
    AddGrowth(first, steps_, kYoungNs, sums);
  }

  const TimeSteps steps_;
  std::map<std::tuple<std::string, std::string, std::string>, Row> rows_;  // by application, or by user and name
};

}  // namespace

std::vector<Neighbor> FindNeighbors(const RecordedApplication& application, const RecordedSource& node,
                                    const std::function<bool(const Process&)>& is_own) {
  const Span span = SpanOf(application);
  if (span.end_ns <= span.begin_ns) return {};
  const int64_t step_ns = std::max(kNanosPerSecond, (span.end_ns - span.begin_ns + kMaxSteps - 1) / kMaxSteps);
  const int64_t count = (span.end_ns - span.begin_ns + step_ns - 1) / step_ns;
  const Readings readings(node, span);
  Sums sums({span.begin_ns, span.begin_ns + count * step_ns, static_cast<size_t>(count)});
  for (const auto& [key, of_process] : readings.Processes()) {
    const bool is_sparkprof = of_process.process.pid == node.segments.back().GetSource().pid;
    if (!is_own(of_process.process) && !is_sparkprof) sums.Add(of_process);
  }
  std::vector<Neighbor> neighbors = sums.Take();
  const Source& source = node.segments.back().GetSource();
  for (Neighbor& neighbor : neighbors) {
    neighbor.host = source.host;
    neighbor.executor_ids = ExecutorsOn(source.boot_id, application);
    neighbor.host_cores = readings.HostCores();
    neighbor.begin_ns = span.begin_ns;
    neighbor.step_ns = step_ns;
  }
  return neighbors;
}

}  // namespace sparkprof
