// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/text/text.h"
#include "base/time.h"
#include "model/samples/stack_tables.h"
#include "recording/node_join.h"
#include "recording/profile_recording.h"
#include "recording/source_grouping.h"

namespace sparkprof {
namespace {

// Profilers and agents see a process begin and end at different times.
constexpr int64_t kSlackNs = 30 * kNanosPerSecond;
// In wider buckets, the task of a sample is unknown.
constexpr int64_t kWidestBucketNs = 100 * kNanosPerMilli;
constexpr int64_t kAnyThread = 0;

struct TaskRun {
  int64_t begin_ns = 0;  // 0 = unknown
  int64_t end_ns = 0;    // 0 = not ended

  bool Covers(int64_t time_ns) const {
    return begin_ns > 0 && time_ns >= begin_ns && (end_ns == 0 || time_ns < end_ns);
  }
};

// A process of an application: one of its JVMs or of their Python processes.
struct OwnedProcess {
  size_t application = 0;  // position in the vector
  Source jvm;              // the process or its parent
  bool is_python = false;
  int64_t first_ns = INT64_MAX, last_ns = 0;
  std::set<Event> sampled;                                // by the application itself
  std::map<int64_t, std::map<int64_t, TaskRun>> runs;     // by thread, by task
  std::map<int64_t, std::map<int64_t, int64_t>> task_at;  // by thread, by begin; of `runs`

  void See(int64_t time_ns) {
    if (time_ns <= 0) return;
    first_ns = std::min(first_ns, time_ns);
    last_ns = std::max(last_ns, time_ns);
  }
  bool IsSeenAt(int64_t time_ns) const { return time_ns >= first_ns - kSlackNs && time_ns - kSlackNs <= last_ns; }
  void AddRun(int64_t thread, int64_t task, int64_t begin_ns, int64_t end_ns) {
    TaskRun& run = runs[thread][task];
    if (begin_ns > 0) run.begin_ns = begin_ns;
    run.end_ns = std::max(run.end_ns, end_ns);
  }
  void SortRuns() {
    for (const auto& [thread, of_thread] : runs) {
      for (const auto& [task, run] : of_thread) {
        if (run.begin_ns > 0) task_at[thread][run.begin_ns] = task;
      }
    }
  }
  int64_t TaskOf(int64_t thread, int64_t time_ns) const {
    const auto of_thread = task_at.find(is_python ? kAnyThread : thread);
    if (of_thread == task_at.end()) return kNoTask;
    auto next = of_thread->second.upper_bound(time_ns);
    if (next == of_thread->second.begin()) return kNoTask;
    const int64_t task = (--next)->second;
    return runs.at(of_thread->first).at(task).Covers(time_ns) ? task : kNoTask;
  }
};

enum class HostMatch : uint8_t { kNo, kUnknown, kSame };

HostMatch MatchHosts(const std::string& profile, const std::string& jvm) {
  const auto is_unknown = [](const std::string& host) { return host == kUnknownHost || host == "localhost"; };
  if (is_unknown(profile) || is_unknown(jvm) || IsHostAddress(profile) != IsHostAddress(jvm))
    return HostMatch::kUnknown;
  return IsSameHost(profile, jvm) ? HostMatch::kSame : HostMatch::kNo;
}

class OwnedProcesses {
 public:
  void Add(const RecordedSource& source, size_t application) {
    std::map<int64_t, OwnedProcess> by_pid;
    for (const RecordedSegment& segment : source.segments) AddSegment(*segment.Contents(), application, &by_pid);
    for (auto& [pid, process] : by_pid) {
      process.jvm.application_id = source.application_id;
      process.jvm.application_attempt = source.application_attempt;
      process.SortRuns();
      const OwnedProcess& added = processes_.emplace(pid, std::move(process))->second;
      if (!added.is_python) NoteTasks(added);
    }
  }

  bool IsEmpty() const { return processes_.empty(); }

  struct Found {
    const OwnedProcess* process = nullptr;  // null = none, or several
    bool is_on_host = false;                // false = the hosts cannot be compared
  };
  Found Find(int64_t pid, const std::string& host, int64_t time_ns) const {
    std::vector<const OwnedProcess*> on_host, others;
    const auto [begin, end] = processes_.equal_range(pid);
    for (auto process = begin; process != end; ++process) {
      const HostMatch match = MatchHosts(host, process->second.jvm.host);
      if (match == HostMatch::kNo || !process->second.IsSeenAt(time_ns)) continue;
      (match == HostMatch::kSame ? on_host : others).push_back(&process->second);
    }
    if (on_host.size() == 1) return {on_host.front(), true};
    return {on_host.empty() && others.size() == 1 ? others.front() : nullptr, false};
  }

  // The JVM on the host that ran the task at this time; null = none.
  const OwnedProcess* FindByTask(int64_t task, const std::string& host, int64_t time_ns) const {
    const auto [begin, end] = jvms_of_task_.equal_range(task);
    for (auto jvm = begin; jvm != end; ++jvm) {
      const auto& [process, run] = jvm->second;
      if (!run.Covers(time_ns) || !process->IsSeenAt(time_ns)) continue;
      if (MatchHosts(host, process->jvm.host) == HostMatch::kSame) return process;
    }
    return nullptr;
  }

 private:
  // A task runs on one thread: other runs with its ID would only cost time.
  void NoteTasks(const OwnedProcess& jvm) {
    std::set<int64_t> known;
    for (const auto& [thread, of_thread] : jvm.runs) {
      for (const auto& [task, run] : of_thread) {
        if (known.insert(task).second) jvms_of_task_.emplace(task, std::pair(&jvm, run));
      }
    }
  }

  static void AddSegment(const Segment& segment, size_t application, std::map<int64_t, OwnedProcess>* by_pid) {
    const Source& source = segment.source;
    if (source.pid == 0) return;
    const auto process_of = [&](int64_t pid) -> OwnedProcess& {
      OwnedProcess& process = (*by_pid)[pid];
      process.application = application;
      process.is_python = pid != source.pid;
      process.jvm = source;
      if (process.jvm.executor_id.empty()) process.jvm.executor_id = "driver";
      return process;
    };
    OwnedProcess& jvm = process_of(source.pid);
    for (const ClockAnchor& anchor : segment.anchors) jvm.See(anchor.epoch_ns);
    for (const TaskInterval& interval : segment.task_intervals) {
      jvm.AddRun(interval.tid, interval.task, interval.begin_ns, interval.end_ns);
    }
    for (const Process& child : segment.processes) {
      if (!child.role.starts_with("python")) continue;
      OwnedProcess& process = process_of(child.pid);
      process.See(child.first_seen_ns);
      process.See(child.last_seen_ns);
    }
    for (const PythonTask& task : segment.python_tasks) {
      OwnedProcess& process = process_of(task.pid);
      process.See(task.begin_ns);
      process.See(task.end_ns);
      process.AddRun(kAnyThread, task.task, task.begin_ns, task.end_ns);
    }
    for (const SegmentSample& sample : segment.samples) {
      const int64_t pid = segment.threads[sample.thread].pid;
      process_of(pid == 0 ? source.pid : pid).sampled.insert(sample.event);
    }
  }

  std::multimap<int64_t, OwnedProcess> processes_;                                // by PID
  std::multimap<int64_t, std::pair<const OwnedProcess*, TaskRun>> jvms_of_task_;  // by task
};

// A part of a host's segment that belongs to one JVM with its Python processes.
class Part {
 public:
  Part(const Segment& from, const Source& jvm) : from_(from), stacks_(from, &tables_) {
    segment_.source = from.source;
    segment_.source.application_id = jvm.application_id;
    segment_.source.application_attempt = jvm.application_attempt;
    segment_.source.application_name.clear();
    segment_.source.executor_id = jvm.executor_id;
    segment_.source.host = jvm.host;
  }

  void Add(SegmentSample sample, const OwnedProcess& process) {
    const Thread& thread = from_.threads[sample.thread];
    const auto [place, is_new] = threads_.try_emplace(sample.thread, static_cast<uint32_t>(threads_.size()));
    if (is_new) {
      segment_.threads.push_back(
          {thread.tid, tables_.strings.Intern(from_.strings.Get(thread.name)), process.is_python ? thread.pid : 0});
    }
    sample.thread = place->second;
    sample.stack = stacks_.Copy(sample.stack);
    samples_.Add(sample);
  }

  Segment Take() {
    segment_.samples = samples_.Take();
    segment_.strings = std::move(tables_.strings);
    segment_.frames = std::move(tables_.frames);
    segment_.stacks = std::move(tables_.stacks);
    return std::move(segment_);
  }

 private:
  const Segment& from_;
  Segment segment_;
  StackTables tables_;
  StackCopier stacks_;
  std::unordered_map<uint32_t, uint32_t> threads_;
  SampleTable<SegmentSample> samples_;
};

struct JoinedSource {
  RecordedSource source;
  int64_t samples = 0, of_tasks = 0;
};

using PartKey = std::pair<size_t, std::string>;  // application, executor ID

// The task in the name that the plugin gave a thread, "TID 7".
int64_t TaskInName(std::string_view thread_name) {
  constexpr std::string_view kName = "TID ";
  return thread_name.starts_with(kName) ? ParseInteger(thread_name.substr(kName.size())).value_or(kNoTask) : kNoTask;
}

struct JoinedSample {
  const OwnedProcess* process = nullptr;  // null = of none
  bool is_on_host = false;
  int64_t task = kNoTask;
};

JoinedSample Join(const OwnedProcesses& processes, const Segment& segment, const SegmentSample& sample) {
  const Thread& thread = segment.threads[sample.thread];
  if (thread.pid == 0) return {};
  const int64_t bucket_ns = segment.source.bucket_ns;
  int64_t time_ns = 0;
  if (__builtin_mul_overflow(sample.bucket, bucket_ns, &time_ns)) return {};
  if (__builtin_add_overflow(time_ns, bucket_ns / 2, &time_ns)) return {};
  const std::string& host = segment.source.host;
  const auto found = processes.Find(thread.pid, host, time_ns);
  JoinedSample joined{found.process, found.is_on_host, kNoTask};
  if (bucket_ns > kWidestBucketNs) return joined;
  if (joined.process != nullptr) joined.task = joined.process->TaskOf(thread.tid, time_ns);
  if (joined.task != kNoTask) return joined;
  const int64_t named = TaskInName(segment.strings.Get(thread.name));
  if (named == kNoTask) return joined;
  const OwnedProcess* const jvm = processes.FindByTask(named, host, time_ns);
  return jvm == nullptr ? joined : JoinedSample{jvm, true, named};
}

void JoinSegment(const OwnedProcesses& processes, const Segment& segment, std::map<PartKey, JoinedSource>* joined) {
  ProfileEvent named;
  const bool is_named = HasNamedEvent(segment.source, &named);
  std::vector<JoinedSample> of_samples;
  // JVMs of which a task was sampled: their host is this one.
  std::set<std::pair<PartKey, int64_t>> proved;
  const auto jvm_of = [](const OwnedProcess& process) {
    return std::pair(PartKey{process.application, process.jvm.executor_id}, process.jvm.pid);
  };
  for (const SegmentSample& sample : segment.samples) {
    const JoinedSample& one = of_samples.emplace_back(Join(processes, segment, sample));
    if (one.task != kNoTask && !one.process->is_python) proved.insert(jvm_of(*one.process));
  }
  std::map<PartKey, std::unique_ptr<Part>> parts;
  for (size_t row = 0; row < of_samples.size(); ++row) {
    SegmentSample sample = segment.samples[row];
    const OwnedProcess* const process = of_samples[row].process;
    if (process == nullptr || (!is_named && process->sampled.contains(sample.event))) continue;
    if (!of_samples[row].is_on_host && !proved.contains(jvm_of(*process))) continue;
    sample.task = of_samples[row].task;
    if (sample.task != kNoTask) sample.category = Category::kTask;
    const PartKey key{process->application, process->jvm.executor_id};
    std::unique_ptr<Part>& part = parts[key];
    if (!part) part = std::make_unique<Part>(segment, process->jvm);
    part->Add(sample, *process);
    JoinedSource& sums = (*joined)[key];
    sums.samples += sample.count;
    if (sample.task != kNoTask) sums.of_tasks += sample.count;
  }
  for (auto& [key, part] : parts) {
    RecordedSource& source = (*joined)[key].source;
    Segment taken = part->Take();
    source.application_id = taken.source.application_id;
    source.application_attempt = taken.source.application_attempt;
    source.segments.emplace_back(std::move(taken));
  }
}

bool HasProfile(const RecordedApplication& application) {
  return std::any_of(application.sources.begin(), application.sources.end(), [](const RecordedSource& source) {
    const Source& last = source.segments.back().GetSource();
    return IsProfileSource(last) && !IsJoinedProfile(last);
  });
}

}  // namespace

void JoinProfiles(std::vector<RecordedApplication>* applications) {
  std::vector<const RecordedApplication*> profiles;
  for (const RecordedApplication& application : *applications) {
    if (application.id.starts_with(kHostProfileIdPrefix) && HasProfile(application)) profiles.push_back(&application);
  }
  if (profiles.empty()) return;
  OwnedProcesses processes;
  for (size_t i = 0; i < applications->size(); ++i) {
    for (const RecordedSource& source : (*applications)[i].sources) {
      if (!IsNode(source) && !IsProfileSource(source.segments.back().GetSource())) processes.Add(source, i);
    }
  }
  if (processes.IsEmpty()) return;
  std::map<PartKey, JoinedSource> joined;
  for (const RecordedApplication* const profile : profiles) {
    for (const RecordedSource& source : profile->sources) {
      for (const RecordedSegment& segment : source.segments) {
        if (segment.SampleRows() > 0) JoinSegment(processes, *segment.Contents(), &joined);
      }
    }
  }
  for (auto& [key, one] : joined) {
    one.source.whole = true;
    Segment& last = one.source.segments.back().Edit();
    last.notices.push_back(
        {last.samples.front().bucket * last.source.bucket_ns, NoticeLevel::kInformation,
         fmt::format("Samples of a profiler of the host in processes of executor {}: {}; of tasks: {}", key.second,
                     one.samples, one.of_tasks)});
    (*applications)[key.first].sources.push_back(std::move(one.source));
  }
}

}  // namespace sparkprof
