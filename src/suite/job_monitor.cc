// SPDX-License-Identifier: Apache-2.0
#include "suite/job_monitor.h"

#include <algorithm>

#include "base/io/file.h"
#include "base/system.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "capture/process_tree.h"
#include "spark/open_files.h"

namespace sparkprof {
namespace {

// Later rows are dropped and counted.
constexpr size_t kMaxRowBytes = size_t{64} << 20;
// CPU is counted in ticks of 10 ms, so its share over shorter times is too imprecise.
constexpr int64_t kShortestWindowNs = 150 * kNanosPerMilli;

NodeMonitorOptions OptionsOf(pid_t job, int64_t interval_ns) {
  NodeMonitorOptions options;
  options.host = HostName();
  options.roots.pids = {job};
  options.interval_ns = interval_ns;
  return options;
}

// The role in Spark, else the kind of program.
std::string TypeOfJobProcess(const Process& process) {
  if (process.role != "other" && !process.role.empty()) return process.role;
  const std::string program = FileNameOf(process.command.substr(0, process.command.find(' ')));
  if (program == "java") return std::string(ProcessRoleName(ProcessRole::kJvm));
  if (program.starts_with("python")) return std::string(ProcessRoleName(ProcessRole::kPythonDriver));
  return std::string(ProcessRoleName(ProcessRole::kOther));
}

int64_t ValueOr0(const ProcessTable::Now& now, Measure measure) {
  return static_cast<int64_t>(now.Value(measure).value_or(0));
}

}  // namespace

JobMonitor::JobMonitor(pid_t job, int64_t interval_ns, std::string folder)
    : folder_(std::move(folder)),
      host_(HostName()),
      monitor_(OptionsOf(job, interval_ns), [this](const std::string&, std::string_view block) {
        const Result<void> written = recording_ ? recording_->Append(block) : Result<void>();
        if (!written && !problem_) problem_ = written.error();
      }) {
  Result<RecordingFile> recording = RecordingFile::Create(folder_, kProcessRecordingName);
  if (recording) {
    recording_ = std::move(*recording);
  } else {
    problem_ = recording.error();
  }
}

void JobMonitor::Read() {
  const int64_t time_ns = MonotonicNanos();
  const int64_t epoch_ns = EpochNanos();
  monitor_.Tick();
  int64_t rss_bytes = 0;
  ++readings_;
  monitor_.Processes().ForEachOfTree([&](const ProcessTable::Now& now) {
    Seen& seen = living_[{now.process.pid, now.process.start_ticks}];
    Update(now, time_ns, &seen);
    rss_bytes += ValueOr0(now, Measure::kRss);
    AddRow(now, seen, epoch_ns);
  });
  max_rss_bytes_ = std::max(max_rss_bytes_, rss_bytes);
  std::erase_if(living_, [this](const auto& entry) {
    const bool has_ended = entry.second.reading != readings_;
    if (has_ended) AddToType(entry.second);
    return has_ended;
  });
}

void JobMonitor::Update(const ProcessTable::Now& now, int64_t time_ns, Seen* seen) const {
  seen->reading = readings_;
  seen->type = TypeOfJobProcess(now.process);
  TypeMaxima& most = seen->maxima;
  most.max_rss_bytes = std::max({most.max_rss_bytes, ValueOr0(now, Measure::kRss), ValueOr0(now, Measure::kRssPeak)});
  most.max_private_bytes = std::max(most.max_private_bytes, ValueOr0(now, Measure::kPrivate));
  most.max_virtual_bytes = std::max(most.max_virtual_bytes, ValueOr0(now, Measure::kVirtual));
  const int64_t cpu_ns = ValueOr0(now, Measure::kCpu);
  const int64_t window_ns = time_ns - seen->time_ns;
  if (seen->time_ns != 0 && window_ns < kShortestWindowNs) return;
  if (seen->time_ns != 0) {
    seen->cpu_percent = 100.0 * static_cast<double>(cpu_ns - seen->cpu_ns) / static_cast<double>(window_ns);
    most.max_cpu_percent = std::max(most.max_cpu_percent, seen->cpu_percent);
  }
  seen->cpu_ns = cpu_ns;
  seen->time_ns = time_ns;
}

void JobMonitor::AddToType(const Seen& seen) {
  TypeMaxima& most = maxima_[seen.type];
  ++most.processes;
  most.max_cpu_percent = std::max(most.max_cpu_percent, seen.maxima.max_cpu_percent);
  most.max_rss_bytes = std::max(most.max_rss_bytes, seen.maxima.max_rss_bytes);
  most.max_private_bytes = std::max(most.max_private_bytes, seen.maxima.max_private_bytes);
  most.max_virtual_bytes = std::max(most.max_virtual_bytes, seen.maxima.max_virtual_bytes);
}

void JobMonitor::AddRow(const ProcessTable::Now& now, const Seen& seen, int64_t epoch_ns) {
  if (rows_.size() > kMaxRowBytes) {
    ++dropped_rows_;
    return;
  }
  const Process& process = now.process;
  JsonWriter row;
  row.BeginObject().Member("timeStamp", epoch_ns / kNanosPerMilli).Member("monitor", host_);
  row.Member("pid", process.pid).Member("ppid", process.parent_pid).Member("type", seen.type);
  if (!process.application_id.empty()) row.Member("application", process.application_id);
  if (!process.executor_id.empty()) row.Member("executor", process.executor_id);
  row.Member("cpuPercent", seen.cpu_percent);
  row.Member("cpuSeconds", now.Value(Measure::kCpu).value_or(0) / kNanosPerSecond);
  constexpr std::pair<const char*, Measure> kFields[] = {
      {"rssBytes", Measure::kRss},       {"virtualBytes", Measure::kVirtual}, {"privateBytes", Measure::kPrivate},
      {"sharedBytes", Measure::kShared}, {"readBytes", Measure::kRead},       {"writeBytes", Measure::kWritten},
      {"threads", Measure::kThreads}};
  for (const auto& [name, measure] : kFields) {
    if (const auto value = now.Value(measure)) row.Member(name, static_cast<int64_t>(*value));
  }
  row.Member("command", process.command).EndObject();
  rows_ += row.Text() + "\n";
}

Result<void> JobMonitor::Finish(RepeatResult* result) {
  monitor_.Tick();  // records the end of processes
  monitor_.Finish();
  for (const auto& [key, seen] : living_) AddToType(seen);
  living_.clear();
  result->maxima = maxima_;
  result->max_rss_bytes = max_rss_bytes_;
  result->dropped_rows = dropped_rows_;
  if (problem_) return tl::unexpected(*problem_);
  return WriteFile(folder_ + "/" + kProcessRowsName, rows_);
}

}  // namespace sparkprof
