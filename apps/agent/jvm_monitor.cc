// SPDX-License-Identifier: Apache-2.0
#include "jvm_monitor.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/time.h"
#include "capture/hsperfdata.h"
#include "capture/proc.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxCountersSize = 1 << 20;  // default is 32 KiB (-XX:PerfDataMemorySize)
constexpr int kAttempts = 5;
// Interval for reading a Python process's private memory, which takes about 10 µs per MB.
constexpr int64_t kMemoryIntervalNs = 10 * kNanosPerSecond;
constexpr int64_t kMemoryPauseNs = 2 * kNanosPerSecond;
constexpr int64_t kThreadsIntervalNs = 5 * kNanosPerSecond;
constexpr int64_t kLeastOfThreads = 1'000'000;  // ns; most of a JVM's threads hardly run

}  // namespace

JvmMonitor::JvmMonitor(int64_t jvm_pid, int64_t start_ticks, SegmentWriter* writer, std::string temporary_folder)
    : jvm_pid_(jvm_pid),
      start_ticks_(start_ticks),
      writer_(writer),
      tree_(jvm_pid, getpid()),
      threads_(jvm_pid),
      temporary_folder_(std::move(temporary_folder)) {}

void JvmMonitor::AddPoint(std::string_view name, SeriesKind kind, double value, int64_t time_ns) {
  writer_->AddPoint(name, kind, jvm_pid_, start_ticks_, {time_ns, value});
}

bool JvmMonitor::FindCounters() {
  if (counters_.IsOpen()) return true;
  if (attempts_ >= kAttempts) return false;
  counters_path_ = FindHsperfdata(jvm_pid_, temporary_folder_);
  if (!counters_path_.empty()) counters_ = FileDescriptor(open(counters_path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (counters_.IsOpen()) return true;
  if (++attempts_ == kAttempts) {
    writer_->AddNotice(NoticeLevel::kInformation,
                       "The JVM has no performance data (hsperfdata: -XX:-UsePerfData, -XX:+PerfDisableSharedMem, "
                       "or another user): heap sizes come from the profiler, once per garbage collection; class, "
                       "thread, JIT and safepoint counters are missing.");
  }
  return false;
}

void JvmMonitor::ReadCounters() {
  if (!FindCounters()) return;
  std::string bytes(64 << 10, '\0');
  ssize_t got = pread(counters_.Get(), bytes.data(), bytes.size(), 0);
  if (got == static_cast<ssize_t>(bytes.size())) {
    bytes.resize(kMaxCountersSize);
    got = pread(counters_.Get(), bytes.data(), bytes.size(), 0);
  }
  bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
  const int64_t now = EpochNanos();
  const auto data = ParseHsperfdata(bytes, counters_path_);
  counters_readable_ = data.has_value();
  if (!data) {
    if (++unreadable_counters_ == 1) {
      writer_->AddNotice(NoticeLevel::kWarning, "cannot read the JVM's counters: " + data.error().message);
    }
    writer_->SetLoss("jvm_counter_readings", "hsperfdata could not be read", unreadable_counters_);
    return;
  }
  for (const CounterReading& reading : ReadJvmCounters(*data)) AddPoint(reading.name, reading.kind, reading.value, now);
}

void JvmMonitor::ReadProcesses() {
  const int64_t now = EpochNanos();
  std::map<int64_t, Process> gone;
  gone.swap(processes_);
  for (const ProcessReading& reading : tree_.Scan()) {
    Process process{reading.pid,
                    reading.start_ticks,
                    reading.parent_pid,
                    std::string(ProcessRoleName(reading.role)),
                    reading.command,
                    now,
                    now};
    const auto known = gone.find(reading.pid);
    bool changed = true;
    if (known != gone.end() && known->second.start_ticks == reading.start_ticks) {
      process.first_seen_ns = known->second.first_seen_ns;
      changed = known->second.command != process.command || known->second.role != process.role;
      gone.erase(known);
    }
    if (changed) writer_->AddProcess(process);
    processes_[reading.pid] = std::move(process);
    if (reading.role == ProcessRole::kAgent) continue;  // the agent has its own series
    const auto add = [&](std::string_view name, SeriesKind kind, int64_t value) {
      writer_->AddPoint(name, kind, reading.pid, reading.start_ticks, {now, static_cast<double>(value)});
    };
    add("process.cpu_ns", SeriesKind::kCounter, reading.cpu_ns);
    add("process.children_cpu_ns", SeriesKind::kCounter, reading.children_cpu_ns);
    add("process.rss_bytes", SeriesKind::kGauge, reading.rss_bytes);
    add("process.threads", SeriesKind::kGauge, reading.threads);
    if (reading.role == ProcessRole::kPythonDriver || reading.role == ProcessRole::kJvm) {
      // Includes peaks between two reads.
      if (const auto peak = ReadPeakBytes(reading.pid)) add("process.rss_peak_bytes", SeriesKind::kGauge, *peak);
    }
    if (reading.role == ProcessRole::kPythonDriver) {
      const auto received = received_.try_emplace(reading.pid, reading.pid).first->second.Read();
      if (received) add("process.received_bytes", SeriesKind::kCounter, *received);
    }
    if (reading.role == ProcessRole::kPythonWorker || reading.role == ProcessRole::kPythonDaemon) {
      const auto last = memory_reads_.find(reading.pid);
      if (last == memory_reads_.end() || MonotonicNanos() - last->second.time_ns >= kMemoryIntervalNs) {
        ReadMemory(reading.pid, reading.start_ticks);
      } else if (last->second.of_others) {
        // Between two reads, the memory that it shares stays about the same.
        add("process.pss_bytes", SeriesKind::kGauge, std::max<int64_t>(0, reading.rss_bytes - *last->second.of_others));
      }
    }
    if (!reading.has_io) continue;
    add("process.read_bytes", SeriesKind::kCounter, reading.read_bytes);
    add("process.write_bytes", SeriesKind::kCounter, reading.write_bytes);
  }
  for (const auto& [pid, process] : gone) {
    writer_->AddProcess(process);
    memory_reads_.erase(pid);
    received_.erase(pid);
  }
  writer_->SetLoss("processes", "more than the limit, or no free file descriptor", tree_.Ignored());
}

void JvmMonitor::ReadMemory(int64_t pid, int64_t start_ticks) {
  MemoryRead& last = memory_reads_[pid];
  const int64_t now_ns = MonotonicNanos();
  if (last.time_ns != 0 && now_ns - last.time_ns < kMemoryPauseNs) return;
  last.time_ns = now_ns;
  const auto memory = ReadMemoryShares(pid);
  if (!memory) return;
  last.of_others = memory->own + memory->shared - memory->proportional;
  writer_->AddPoint("process.pss_bytes", SeriesKind::kGauge, pid, start_ticks,
                    {EpochNanos(), static_cast<double>(memory->proportional)});
}

void JvmMonitor::ReadThreads(bool now) {
  const int64_t now_ns = MonotonicNanos();
  if (!now && threads_read_ns_ != 0 && now_ns - threads_read_ns_ < kThreadsIntervalNs) return;
  threads_read_ns_ = now_ns;
  const int64_t time_ns = EpochNanos();
  const std::map<std::string, int64_t> sums = threads_.Read();
  for (const auto& [name, cpu_ns] : sums) {
    if (cpu_ns >= kLeastOfThreads) names_of_threads_.insert(name);
  }
  for (const std::string& name : names_of_threads_) {
    const auto sum = sums.find(name);
    const int64_t cpu_ns = sum == sums.end() ? 0 : sum->second;
    AddPoint("thread." + name + ".cpu_ns", SeriesKind::kGauge, static_cast<double>(cpu_ns), time_ns);
  }
}

void JvmMonitor::AddHeapSummaries(const std::vector<JfrHeapSummary>& summaries) {
  if (counters_.IsOpen() && counters_readable_) return;
  for (const JfrHeapSummary& summary : summaries) {
    AddPoint("jvm.heap_used_bytes", SeriesKind::kGauge, static_cast<double>(summary.used_bytes), summary.epoch_ns);
    AddPoint("jvm.heap_committed_bytes", SeriesKind::kGauge, static_cast<double>(summary.committed_bytes),
             summary.epoch_ns);
  }
}

void JvmMonitor::NoteLastSeen() {
  for (const auto& [pid, process] : processes_) writer_->AddProcess(process);
}

}  // namespace sparkprof
