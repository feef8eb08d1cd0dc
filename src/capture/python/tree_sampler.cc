// SPDX-License-Identifier: Apache-2.0
#include "capture/python/tree_sampler.h"

#include <time.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/text/text.h"
#include "base/time.h"
#include "capture/proc.h"
#include "capture/process_tree.h"
#include "capture/python/process_sampler.h"
#include "cpython/sampler_thread.h"

namespace sparkprof {
namespace {

constexpr int64_t kScanIntervalNs = kNanosPerSecond / 2;
// A new process may still be exec'ing Python; give up after this many scans.
constexpr int kFindAttempts = 4;

void SleepUntil(int64_t monotonic_ns) {
  const timespec time{monotonic_ns / kNanosPerSecond, monotonic_ns % kNanosPerSecond};
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr);
}

class TreeSampler {
 public:
  TreeSampler(const TreeSamplerOptions& options, TreeSamplerReport* report)
      : options_(options), report_(report), tree_(options.pid, getpid()) {
    segment_.source.pid = options.pid;
    segment_.source.bucket_ns = kNanosPerSecond;
    segment_.source.role = "driver";
    segment_.source.boot_id = BootId();
    segment_.final = true;
    const auto stat = ReadProcessStat(options.pid);
    segment_.source.start_ticks = stat ? stat->start_ticks : 0;
    const auto command = ReadFile("/proc/" + std::to_string(options.pid) + "/cmdline");
    segment_.source.application_name = CommandForPeople(command.value_or(""));
    segment_.anchors.push_back({MonotonicNanos(), EpochNanos()});
  }

  Result<void> Begin() {
    Result<PythonProcess> python = FindPython(options_.pid);
    if (python) {
      Follow(std::move(*python));
    } else if (!options_.subprocesses || !ReadProcessStat(options_.pid)) {
      // The root of a tree need not be Python: it may be a shell or a JVM.
      return tl::unexpected(python.error());
    }
    if (options_.subprocesses) Scan(MonotonicNanos());
    ReadNames();
    return {};
  }

  // Returns false when nothing is left to sample.
  bool Sample() {
    running_ = {};
    now_ns_ = MonotonicNanos();
    bucket_ = EpochNanos() / segment_.source.bucket_ns;
    for (auto process = processes_.begin(); process != processes_.end();) {
      process = SampleOne(process->first, process->second.get()) ? std::next(process) : processes_.erase(process);
    }
    if (running_.tid != 0) near_.Follow(running_.pid, running_.tid);
    if (options_.subprocesses && now_ns_ >= next_scan_ns_) Scan(now_ns_);
    return !processes_.empty() || (options_.subprocesses && root_lives_);
  }

  Segment Take() {
    segment_.samples = samples_.Rows();
    segment_.anchors.push_back({MonotonicNanos(), EpochNanos()});
    return std::move(segment_);
  }

 private:
  struct Followed {
    explicit Followed(PythonProcess python, Segment* segment)
        : sampler(std::move(python), &segment->strings, &segment->frames, &segment->stacks) {}
    ProcessSampler sampler;
    int64_t last_ns = 0;
    int64_t torn = 0, unreadable = 0;
  };

  void Follow(PythonProcess python) {
    const int64_t pid = python.pid;
    processes_.emplace(pid, std::make_unique<Followed>(std::move(python), &segment_));
    ++report_->processes;
  }

  // The first sample reads the names of all functions on the stacks; the profile starts after it.
  void ReadNames() {
    for (const auto& [pid, process] : processes_) {
      process->sampler.Sample(&threads_);
      process->torn = process->sampler.Torn();
      process->unreadable = process->sampler.Unreadable();
    }
  }

  void Scan(int64_t now_ns) {
    next_scan_ns_ = now_ns + kScanIntervalNs;
    root_lives_ = false;
    for (const ProcessReading& reading : tree_.Scan()) {
      root_lives_ = root_lives_ || reading.pid == options_.pid;
      int& attempts = attempts_[{reading.pid, reading.start_ticks}];
      if (processes_.contains(reading.pid) || attempts >= kFindAttempts) continue;
      ++attempts;
      if (Result<PythonProcess> python = FindPython(reading.pid)) Follow(std::move(*python));
    }
  }

  bool SampleOne(int64_t pid, Followed* process) {
    const bool lives = process->sampler.Sample(&threads_);
    report_->torn += process->sampler.Torn() - std::exchange(process->torn, process->sampler.Torn());
    report_->unreadable +=
        process->sampler.Unreadable() - std::exchange(process->unreadable, process->sampler.Unreadable());
    if (!lives) return false;
    ++report_->samples;
    const int64_t passed_ns = process->last_ns == 0 ? options_.interval_ns : now_ns_ - process->last_ns;
    process->last_ns = now_ns_;
    for (const PythonStack& thread : threads_) {
      if (thread.stack == 0) continue;
      SegmentSample sample;
      sample.bucket = bucket_;
      sample.state = thread.on_cpu ? ThreadState::kRunning : ThreadState::kSleeping;
      sample.thread = ThreadRow(pid, thread.tid);
      sample.stack = thread.stack;
      sample.count = 1;
      sample.event = Event::kWall;
      sample.weight = passed_ns;
      samples_.Add(sample);
      if (thread.on_cpu && running_.tid == 0) running_ = {pid, thread.tid};
      if (thread.cpu_ns == 0) continue;
      sample.event = Event::kCpu;
      sample.weight = thread.cpu_ns;
      samples_.Add(sample);
    }
    return true;
  }

  uint32_t ThreadRow(int64_t pid, int64_t tid) {
    const auto [row, is_new] = thread_rows_.try_emplace({pid, tid}, static_cast<uint32_t>(segment_.threads.size()));
    if (is_new) {
      const auto name = ReadFile("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/comm");
      segment_.threads.push_back({tid, segment_.strings.Intern(ToUtf8(Trim(name.value_or(""))))});
    }
    return row->second;
  }

  const TreeSamplerOptions options_;
  TreeSamplerReport* report_;
  ProcessTree tree_;
  Segment segment_;
  SampleTable<SegmentSample> samples_;
  std::map<int64_t, std::unique_ptr<Followed>> processes_;
  std::map<std::pair<int64_t, int64_t>, int> attempts_;  // by PID and start ticks
  std::map<std::pair<int64_t, int64_t>, uint32_t> thread_rows_;
  std::vector<PythonStack> threads_;
  struct {
    int64_t pid = 0, tid = 0;
  } running_;  // first thread found running in this sample; 0 = none
  NearThread near_;
  int64_t now_ns_ = 0;  // start of this sample
  int64_t bucket_ = 0;  // bucket at now_ns_
  int64_t next_scan_ns_ = 0;
  bool root_lives_ = true;
};

}  // namespace

int64_t CountPythonDescendants(int64_t pid) {
  int64_t count = 0;
  for (const ProcessReading& reading : ProcessTree(pid, getpid()).Scan()) {
    if (reading.pid != pid && FindPython(reading.pid)) ++count;
  }
  return count;
}

Result<Segment> SamplePythonTree(const TreeSamplerOptions& options, const volatile sig_atomic_t* stop,
                                 TreeSamplerReport* report) {
  TreeSampler sampler(options, report);
  if (Result<void> begun = sampler.Begin(); !begun) return tl::unexpected(begun.error());
  WakePromptly();
  const int64_t begin_ns = MonotonicNanos();
  int64_t due_ns = begin_ns;
  while (*stop == 0 && (options.duration_ns == 0 || due_ns - begin_ns < options.duration_ns)) {
    SleepUntil(due_ns);
    if (*stop != 0 || !sampler.Sample()) break;
    due_ns += options.interval_ns;
    const int64_t now_ns = MonotonicNanos();
    while (due_ns + options.interval_ns < now_ns) {
      due_ns += options.interval_ns;
      ++report->late;
    }
  }
  return sampler.Take();
}

}  // namespace sparkprof
