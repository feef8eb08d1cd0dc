// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/node_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

using Use = std::vector<std::optional<double>>;

// Counters without growth have no points, but CPU counters always grow.
constexpr int64_t kShortestGapNs = 60 * kNanosPerSecond;
constexpr int64_t kGapIntervals = 3;

// Maximum time between two readings, unless the monitor was not running.
int64_t LongestGap(const Application& recording) {
  int64_t longest_ns = kShortestGapNs;
  for (const ProfilerSetting& setting : recording.settings) {
    if (setting.name != "monitor.interval_ns" && setting.name != "monitor.others_ns") continue;
    const int64_t interval_ns = ParseInteger(setting.value).value_or(0);
    if (interval_ns < INT64_MAX / kGapIntervals) longest_ns = std::max(longest_ns, kGapIntervals * interval_ns);
  }
  return longest_ns;
}

// Virtual devices above devices with their own counters.
bool IsStacked(std::string_view disk) { return disk.starts_with("dm-") || disk.starts_with("md"); }
bool IsVirtual(std::string_view interface) {
  for (const std::string_view start :
       {"lo.", "veth", "docker", "br-", "virbr", "cni", "flannel", "cali", "tun", "bond"}) {
    if (interface.starts_with(start)) return true;
  }
  return false;
}

bool Strip(std::string_view start, std::string_view* name) {
  if (!name->starts_with(start)) return false;
  name->remove_prefix(start.size());
  return true;
}

class HostSums {
 public:
  HostSums(const TimeSteps& steps, HostUse* use) : steps_(steps), use_(use) {
    for (std::vector<double>* sums : {&busy_, &all_, &disk_, &network_}) sums->resize(steps.count);
  }

  void Add(const Application& recording) {
    gap_ns_ = LongestGap(recording);
    const bool has_devices = std::ranges::any_of(recording.series, [](const ApplicationSeries& series) {
      std::string_view name = series.name;
      return Strip("host.disk.", &name) && !IsStacked(name);
    });
    const ApplicationSeries* available = nullptr;
    for (const ApplicationSeries& series : recording.series) {
      if (series.process >= 0) continue;
      std::string_view name = series.name;
      if (name == "host.memory_available_bytes") available = &series;
      if (name == "host.memory_total_bytes" && !series.points.empty()) use_->memory_bytes = series.points.back().value;
      if (!Strip("host.", &name)) continue;
      if (Strip("cpu_", &name)) AddCpu(name, series);
      const bool is_of_device = Strip("disk.", &name) && !(has_devices && IsStacked(name));
      if (is_of_device && name.ends_with("_bytes")) AddTo(series, &disk_);
      if (Strip("network.", &name) && !IsVirtual(name) && name.ends_with("_bytes")) AddTo(series, &network_);
    }
    if (available != nullptr) AddMemory(available->points);
    use_->cores = std::max(use_->cores, std::round(CoresOf(recording)));
  }

  void Finish() {
    for (Use* values : {&use_->cpu, &use_->disk, &use_->network}) values->resize(steps_.count);
    use_->memory.resize(steps_.count);
    for (size_t step = 0; step < steps_.count; ++step) {
      if (all_[step] <= 0) continue;
      use_->cpu[step] = use_->cores * busy_[step] / all_[step];
      use_->disk[step] = disk_[step];
      use_->network[step] = network_[step];
    }
  }

 private:
  // Number of cores: the growth of all cores' times, busy or not, relative to the clock.
  static double CoresOf(const Application& recording) {
    double growth = 0;
    int64_t first_ns = 0, last_ns = 0;
    for (const ApplicationSeries& series : recording.series) {
      if (series.process >= 0 || !series.name.starts_with("host.cpu_") || series.points.empty()) continue;
      growth += series.points.back().value - series.points.front().value;
      if (first_ns == 0 || series.points.front().time_ns < first_ns) first_ns = series.points.front().time_ns;
      last_ns = std::max(last_ns, series.points.back().time_ns);
    }
    return last_ns > first_ns ? growth / static_cast<double>(last_ns - first_ns) : 0;
  }

  void AddTo(const ApplicationSeries& series, std::vector<double>* sums) const {
    AddGrowth(series.points, steps_, gap_ns_, sums);
  }

  void AddCpu(std::string_view part, const ApplicationSeries& series) {
    AddTo(series, &all_);
    const bool is_busy = part != "idle_ns" && part != "iowait_ns" && part != "steal_ns";
    if (is_busy) AddTo(series, &busy_);
  }

  // A value holds until the next point if that is equal; otherwise only at its own time.
  void AddMemory(const std::vector<SeriesPoint>& points) {
    use_->memory.resize(steps_.count);
    const double step_ns = static_cast<double>(steps_.end_ns - steps_.begin_ns) / static_cast<double>(steps_.count);
    const auto step_of = [&](int64_t time_ns) {
      return static_cast<int64_t>(std::floor(static_cast<double>(time_ns - steps_.begin_ns) / step_ns));
    };
    for (size_t i = 0; i < points.size(); ++i) {
      const bool is_held = i + 1 < points.size() && points[i + 1].value == points[i].value;
      const int64_t last = step_of(is_held ? points[i + 1].time_ns : points[i].time_ns);
      for (int64_t step = std::max<int64_t>(0, step_of(points[i].time_ns));
           step <= last && step < static_cast<int64_t>(steps_.count); ++step) {
        std::optional<double>& most = use_->memory[static_cast<size_t>(step)];
        most = std::max(most.value_or(0), use_->memory_bytes - points[i].value);
      }
    }
  }

  const TimeSteps steps_;
  HostUse* const use_;
  int64_t gap_ns_ = kShortestGapNs;
  std::vector<double> busy_, all_, disk_, network_;
};

const Process* ProcessOf(const Application& recording, const ApplicationSeries& series) {
  return series.process < 0 ? nullptr : &recording.processes[static_cast<size_t>(series.process)].process;
}

// Also counts usage before the first reading, if the process started then.
double GrowthOfProcess(const Process& process, const ApplicationSeries& series, int64_t begin_ns, int64_t end_ns,
                       int64_t gap_ns) {
  double growth = GrowthBetween(series.points, begin_ns, end_ns, gap_ns);
  if (!series.points.empty() && process.started_ns > 0) {
    const SeriesPoint first[] = {{process.started_ns, 0}, series.points.front()};
    growth += GrowthBetween(first, begin_ns, end_ns, kShortestGapNs);
  }
  return growth;
}

// The maximum between two times, including the value at the start.
double MostBetween(const std::vector<SeriesPoint>& points, int64_t begin_ns, int64_t end_ns) {
  double most = 0, before = 0;
  for (const SeriesPoint& point : points) {
    if (point.time_ns < begin_ns) before = point.value;
    if (point.time_ns >= begin_ns && point.time_ns <= end_ns) most = std::max(most, point.value);
  }
  return std::max(most, before);
}

// Formats "java (PID 4711, executor 1 of application_1)".
std::string NameOf(const ProcessUse& use) {
  std::string owner =
      use.executor_id.empty() || use.executor_id == "driver" ? use.executor_id : "executor " + use.executor_id;
  if (!use.application_id.empty()) owner += (owner.empty() ? "" : " of ") + use.application_id;
  return fmt::format("{} (PID {}{}{})", use.name, use.pid, owner.empty() ? "" : ", ", owner);
}

// `attach` reads JVMs and Python processes.
std::string NextStep(const ProcessUse& use) {
  const std::string_view file = std::string_view(use.name).substr(use.name.rfind('/') + 1);
  if (file.starts_with("java") || file.starts_with("python")) {
    return fmt::format("Run `sparkprof attach {}` for its functions.", use.pid);
  }
  return "It is not a JVM or Python process: reserve its cores for it, or run it on another host.";
}

}  // namespace

std::string HostInWords(const Application& recording, const TimeRange& range) {
  const HostUse host = UseOfHost({&recording}, {range.start_ns, range.end_ns, 1});
  const auto cpu = UseOfProcesses({&recording}, range.start_ns, range.end_ns, ProcessOrder::kCpu);
  const auto memory = UseOfProcesses({&recording}, range.start_ns, range.end_ns, ProcessOrder::kMemory);
  if (!host.cpu[0] || cpu.empty()) return {};
  std::string text = fmt::format("{:.1f} of {:.0f} cores busy", *host.cpu[0], host.cores);
  if (host.memory[0])
    text += fmt::format(", {} of {} memory used", FormatBytes(std::llround(*host.memory[0])),
                        FormatBytes(std::llround(host.memory_bytes)));
  text += fmt::format(". Most CPU: {}, {:.1f} cores; most memory: {}, {}. {}", NameOf(cpu[0]), cpu[0].cores,
                      memory[0].pid == cpu[0].pid ? "the same" : NameOf(memory[0]),
                      FormatBytes(std::llround(memory[0].max_rss_bytes)), NextStep(cpu[0]));
  return text;
}

HostUse UseOfHost(const std::vector<const Application*>& recordings, const TimeSteps& steps) {
  HostUse use;
  HostSums sums(steps, &use);
  for (const Application* recording : recordings) sums.Add(*recording);
  sums.Finish();
  return use;
}

std::vector<ProcessUse> UseOfProcesses(const std::vector<const Application*>& recordings, int64_t begin_ns,
                                       int64_t end_ns, ProcessOrder order) {
  std::map<std::pair<int64_t, int64_t>, ProcessUse> by_process;
  for (const Application* recording : recordings) {
    const int64_t gap_ns = LongestGap(*recording);
    for (const ApplicationSeries& series : recording->series) {
      const Process* const process = ProcessOf(*recording, series);
      if (process == nullptr || series.points.empty()) continue;
      const int64_t started_ns = process->started_ns != 0 ? process->started_ns : process->first_seen_ns;
      // Without a known end, it runs until its last reading.
      const int64_t last_ns = std::max(process->last_seen_ns, series.points.back().time_ns);
      if (std::min(started_ns, series.points.front().time_ns) >= end_ns || last_ns <= begin_ns) continue;
      ProcessUse& use = by_process[{process->pid, process->start_ticks}];
      use.pid = process->pid;
      use.start_ticks = process->start_ticks;
      for (const auto& [from, to] :
           {std::pair(&process->role, &use.type), std::pair(&process->user, &use.user),
            std::pair(&process->application_id, &use.application_id),
            std::pair(&process->executor_id, &use.executor_id), std::pair(&process->name, &use.name),
            std::pair(&process->command, &use.command)}) {
        if (!from->empty()) *to = *from;
      }
      if (use.start_ns == 0 || started_ns < use.start_ns) use.start_ns = started_ns;
      use.end_ns = std::max(use.end_ns, last_ns);
      const auto grow = [&](double* sum) { *sum += GrowthOfProcess(*process, series, begin_ns, end_ns, gap_ns); };
      if (series.name == "process.cpu_ns") grow(&use.cpu_ns);
      if (series.name == "process.unlisted_children_cpu_ns") {
        use.cpu_ns += GrowthBetween(series.points, begin_ns, end_ns, gap_ns);
      }
      if (series.name == "process.read_bytes") grow(&use.read_bytes);
      if (series.name == "process.write_bytes") grow(&use.write_bytes);
      if (series.name == "process.rss_bytes") {
        use.max_rss_bytes = std::max(use.max_rss_bytes, MostBetween(series.points, begin_ns, end_ns));
      }
    }
  }
  std::vector<ProcessUse> uses;
  for (auto& [key, use] : by_process) {
    use.cores = use.cpu_ns / static_cast<double>(end_ns - begin_ns);
    uses.push_back(std::move(use));
  }
  const auto by_cpu = [](const ProcessUse& use) { return std::pair(use.cpu_ns, use.max_rss_bytes); };
  const auto by_memory = [](const ProcessUse& use) { return std::pair(use.max_rss_bytes, use.cpu_ns); };
  std::ranges::stable_sort(uses, [&](const ProcessUse& a, const ProcessUse& b) {
    return order == ProcessOrder::kCpu ? by_cpu(a) > by_cpu(b) : by_memory(a) > by_memory(b);
  });
  return uses;
}

}  // namespace sparkprof
