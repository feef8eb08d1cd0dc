// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/threads.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/text/contains.h"
#include "model/task_index.h"

namespace sparkprof {
namespace {

struct NamedKind {
  std::string_view part;  // part of the thread's name
  ThreadKind kind;
};

// HotSpot's thread names, JDK 8 to 25; the first match counts.
constexpr NamedKind kNames[] = {
    {"Executor task launch worker", ThreadKind::kTask},
    {"CompilerThre", ThreadKind::kJit},  // "C2 CompilerThread0", truncated to 15 characters by the kernel
    {"GC Thread", ThreadKind::kGc},
    {"GC task thread", ThreadKind::kGc},
    {"ParGC", ThreadKind::kGc},
    {"Gang worker", ThreadKind::kGc},
    {"G1 ", ThreadKind::kGc},
    {"G# ", ThreadKind::kGc},  // the same with masked numbers
    {"Concurrent Mark", ThreadKind::kGc},
    {"Shenandoah", ThreadKind::kGc},
    {"ZWorker", ThreadKind::kGc},
    {"ZDirector", ThreadKind::kGc},
    {"ZDriver", ThreadKind::kGc},
    {"XWorker", ThreadKind::kGc},
    {"Reference Handl", ThreadKind::kVm},
    {"VM Thread", ThreadKind::kVm},
    {"VM Periodic", ThreadKind::kVm},
    {"Finalizer", ThreadKind::kVm},
    {"Signal Dispatch", ThreadKind::kVm},
    {"Service Thread", ThreadKind::kVm},
    {"Monitor Deflati", ThreadKind::kVm},
    {"Common-Cleaner", ThreadKind::kVm},
    {"Notification Th", ThreadKind::kVm},
    {"Sweeper thread", ThreadKind::kVm},
    {"Attach Listener", ThreadKind::kVm},
};

using ThreadKey = std::pair<int64_t, int64_t>;  // process ID, thread ID

struct TaskRun {
  int64_t begin_ns = 0, end_ns = 0;
  size_t task = 0;  // row of Application::tasks
};

class TasksOfThreads {
 public:
  explicit TasksOfThreads(const Application& application)
      : application_(application), jvms_(application.executors.size()), rows_(application.TaskRows()) {
    for (const ApplicationProcess& one : application.processes) {
      pids_.insert(one.process.pid);
      const bool is_jvm = one.process.role.starts_with("jvm");  // jvm_driver, jvm_executor
      if (is_jvm && one.executor >= 0) jvms_[static_cast<size_t>(one.executor)] = one.process.pid;
    }
    for (const ProfileThread& thread : application.profile.threads) {
      if (thread.process != 0) pids_.insert(thread.process);
    }
    AddRuns(application.profile.samples);
    AddRuns(application.python_samples);
    for (auto& [key, runs] : runs_) {
      std::ranges::sort(runs, {}, &TaskRun::begin_ns);
    }
  }

  bool HasProcess(int64_t pid) const { return pid != 0 && pids_.contains(pid); }

  // The row of the task; -1 = none.
  int64_t Find(const ProfileThread& thread, int64_t time_ns) const {
    const auto found = runs_.find({thread.process, thread.tid});
    if (found == runs_.end()) return -1;
    const std::vector<TaskRun>& runs = found->second;
    auto run = std::upper_bound(runs.begin(), runs.end(), time_ns,
                                [](int64_t time, const TaskRun& one) { return time < one.begin_ns; });
    if (run == runs.begin() || (--run)->end_ns <= time_ns) return -1;
    return static_cast<int64_t>(run->task);
  }

 private:
  void AddRuns(const std::vector<Sample>& samples) {
    std::set<std::pair<uint32_t, uint32_t>> known;  // thread and task
    for (const Sample& sample : samples) {
      if (rows_[sample.task] < 0 || !known.emplace(sample.thread, sample.task).second) continue;
      AddRun(application_.profile.threads[sample.thread], static_cast<size_t>(rows_[sample.task]));
    }
  }

  void AddRun(const ProfileThread& thread, size_t task) {
    const int32_t executor = application_.tasks.executor[task];
    ThreadKey key{thread.process, thread.tid};
    if (key.first == 0 && executor >= 0) key.first = jvms_[static_cast<size_t>(executor)];
    if (key.first == 0 || key.second == 0) return;
    const auto [owner, is_new] = executors_.emplace(key, executor);
    if (!is_new && owner->second != executor) {
      owner->second = kSeveral;
      runs_.erase(key);
    }
    if (owner->second == kSeveral) return;
    const int64_t finish_ns = application_.tasks.finish_ns[task];
    runs_[key].push_back({application_.tasks.launch_ns[task], finish_ns > 0 ? finish_ns : application_.end_ns, task});
  }

  static constexpr int32_t kSeveral = -2;

  const Application& application_;
  std::vector<int64_t> jvms_;  // process IDs, by executor
  const std::vector<int32_t> rows_;
  std::set<int64_t> pids_;
  std::map<ThreadKey, int32_t> executors_;
  std::map<ThreadKey, std::vector<TaskRun>> runs_;
};

}  // namespace

std::string_view ThreadKindName(ThreadKind kind) {
  constexpr std::string_view kKindNames[] = {"other", "task", "gc", "jit", "vm"};
  return kKindNames[static_cast<size_t>(kind)];
}

bool MatchesThreadName(std::string_view name, std::string_view part) {
  constexpr size_t kKernelName = 15;
  return Contains(name, part) || (name.size() == kKernelName && part.starts_with(name));
}

ThreadKind KindOfThreadName(std::string_view name) {
  const auto* const named =
      std::ranges::find_if(kNames, [&](const NamedKind& known) { return MatchesThreadName(name, known.part); });
  return named == std::end(kNames) ? ThreadKind::kOther : named->kind;
}

std::vector<ThreadKind> KindsOfThreads(const Application& application) {
  std::vector<ThreadKind> kinds;
  kinds.reserve(application.profile.threads.size());
  for (const ProfileThread& thread : application.profile.threads) kinds.push_back(KindOfThreadName(thread.name));
  for (const Sample& sample : application.profile.samples) {
    if (sample.category != Category::kNone) kinds[sample.thread] = ThreadKind::kTask;
  }
  return kinds;
}

AssignedSamples AssignTasks(const Application& application, Profile* profile) {
  const TasksOfThreads threads(application);
  const Tasks& tasks = application.tasks;
  std::unordered_map<int64_t, uint32_t> rows;  // rows of profile->tasks, by row of the application's tasks
  AssignedSamples assigned;
  for (Sample& sample : profile->samples) {
    const ProfileThread& thread = profile->threads[sample.thread];
    if (!threads.HasProcess(thread.process)) continue;
    assigned.of_processes += sample.count;
    const int64_t found = sample.time_ns == kNoTime ? -1 : threads.Find(thread, sample.time_ns);
    if (found < 0) continue;
    assigned.of_tasks += sample.count;
    const auto [row, is_new] = rows.emplace(found, static_cast<uint32_t>(profile->tasks.size()));
    if (is_new) {
      const auto task = static_cast<size_t>(found);
      ProfileTask& added = profile->tasks.emplace_back();
      added.task = tasks.id[task];
      added.partition = tasks.partition[task];
      if (const int32_t stage = tasks.stage[task]; stage >= 0) {
        added.stage = application.stages[static_cast<size_t>(stage)].id;
        added.stage_attempt = application.stages[static_cast<size_t>(stage)].attempt;
      }
    }
    sample.task = row->second;
  }
  return assigned;
}

}  // namespace sparkprof
