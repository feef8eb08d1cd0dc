// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/cpu_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "analysis/machines/series_math.h"
#include "analysis/owners/background_work.h"
#include "analysis/owners/thread_remainders.h"
#include "analysis/python/driver_programs.h"
#include "analysis/selection/thread_kind.h"
#include "base/masked_numbers.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

constexpr std::string_view kDriverProgram = "driver program", kUnknownTasks = "tasks of unknown stages";

std::string_view WorkOf(ThreadKind kind) {
  switch (kind) {
    case ThreadKind::kGc:
      return kGarbageCollection;
    case ThreadKind::kJit:
      return "JIT compiler";
    case ThreadKind::kVm:
      return "JVM";
    default:
      return {};
  }
}

class OwnerSums {
 public:
  explicit OwnerSums(const Application& application)
      : application_(application),
        programs_(application),
        kinds_(KindsOfThreads(application)),
        remainders_(application) {
    for (const SqlExecution& query : application.sql_executions) {
      if (query.start_ns > 0) queries_.push_back(&query);
    }
    std::sort(queries_.begin(), queries_.end(), [](const SqlExecution* a, const SqlExecution* b) {
      return std::pair(a->start_ns, a->id) < std::pair(b->start_ns, b->id);
    });
    for (size_t row = 0; row < application.executors.size(); ++row) {
      if (application.executors[row].id == "driver") driver_ = static_cast<int32_t>(row);
    }
  }

  void AddSamples() {
    const EventId cpu = application_.profile.Row(Event::kCpu);
    for (const Sample& sample : application_.profile.samples) {
      if (sample.event != cpu) continue;
      const std::optional<OwnerName> owner = JvmOwner(sample);
      if (!owner) continue;
      AddSaturated(sample.weight, &sums_[*owner]);
      if (IsGarbageCollection(*owner)) AddSaturated(sample.weight, &garbage_[application_.ExecutorOf(sample)].cpu_ns);
      remainders_.AddSample(sample.thread, *owner, sample.weight);
    }
    for (const Sample& sample : application_.python_samples) {
      if (sample.event == cpu) AddSaturated(sample.weight, &sums_[PythonOwner(sample)]);
    }
    for (const auto& [owner, cpu_ns] : remainders_.Sum()) AddSaturated(cpu_ns, &sums_[owner]);
  }

  // Adds what JVMs and driver programs used before their first reading, when their samplers start, and processes that
  // have no samples.
  void AddUnsampled(CpuOwners* owners) {
    double processes = 0;
    for (const ApplicationSeries& series : application_.series) {
      if (series.points.empty()) continue;
      if (series.name == "agent.cpu_ns") {
        Add("sparkprof", OwnerKind::kBackground, static_cast<int64_t>(Growth(series)));
        processes += Growth(series);
      }
      const std::string_view role = RoleOf(series);
      if (series.name != "process.cpu_ns" || role == "agent") continue;
      processes += Growth(series);
      const auto first_ns = static_cast<int64_t>(series.points.front().value);
      if (role == "jvm") Add("start of the JVM, before sampling", OwnerKind::kBackground, first_ns);
      if (role == kDriverProgramRole) Add("start of the driver program, before sampling", OwnerKind::kDriver, first_ns);
      // It has no samples: it imports PySpark and forks the workers.
      if (role == "python_daemon")
        Add("start of Python workers", OwnerKind::kBackground, static_cast<int64_t>(Growth(series)));
    }
    owners->processes_ns = static_cast<int64_t>(processes);
  }

  // Gives each JVM's garbage collection to the owners of what was allocated in it.
  void ShareGarbageCollection() {
    const EventId alloc = application_.profile.Row(Event::kAlloc);
    if (garbage_.empty() || alloc == kNoEvent) return;
    for (const Sample& sample : application_.profile.samples) {
      const auto garbage = sample.event == alloc ? garbage_.find(application_.ExecutorOf(sample)) : garbage_.end();
      if (garbage == garbage_.end()) continue;
      const std::optional<OwnerName> owner = JvmOwner(sample);
      if (!owner) continue;
      AddSaturated(sample.weight, &garbage->second.bytes);
      AddSaturated(sample.weight, &garbage->second.bytes_of[*owner]);
    }
    for (const auto& [executor, garbage] : garbage_) {
      for (const auto& [owner, bytes] : garbage.bytes_of) {
        const double share = static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(garbage.bytes, 1));
        AddSaturated(static_cast<int64_t>(share * static_cast<double>(garbage.cpu_ns)), &garbage_of_[owner]);
      }
    }
  }

  void Fill(CpuOwners* owners) const {
    for (const auto& [owner, cpu_ns] : sums_) {
      if (cpu_ns <= 0) continue;
      const auto garbage = garbage_of_.find(owner);
      owners->owners.push_back({owner.second, owner.first, cpu_ns, garbage == garbage_of_.end() ? 0 : garbage->second});
    }
    std::stable_sort(owners->owners.begin(), owners->owners.end(),
                     [](const CpuOwner& a, const CpuOwner& b) { return a.cpu_ns > b.cpu_ns; });
  }

 private:
  // Garbage collection and allocations of a JVM.
  struct Garbage {
    int64_t cpu_ns = 0;
    int64_t bytes = 0;
    std::map<OwnerName, int64_t> bytes_of;
  };

  static bool IsGarbageCollection(const OwnerName& owner) {
    return owner.first == OwnerKind::kBackground && owner.second == kGarbageCollection;
  }

  std::string_view RoleOf(const ApplicationSeries& series) const {
    if (series.process < 0) return {};
    return application_.processes[static_cast<size_t>(series.process)].process.role;
  }

  void Add(std::string_view name, OwnerKind kind, int64_t cpu_ns) {
    AddSaturated(cpu_ns, &sums_[{kind, std::string(name)}]);
  }

  OwnerName TaskOwner(const Sample& sample) const {
    const ProfileTask& task = application_.profile.tasks[sample.task];
    if (task.stage < 0) return {OwnerKind::kTask, std::string(kUnknownTasks)};
    return {OwnerKind::kTask, fmt::format("stage {}.{}", task.stage, std::max<int64_t>(0, task.stage_attempt))};
  }

  OwnerName DriverOwner(const Sample& sample) const {
    // The query that started last counts, of those that run at the same time: queries inside others, and of a program's
    // loop.
    const SqlExecution* running = nullptr;
    const int64_t bucket_end_ns = sample.time_ns + application_.profile.bucket_ns;
    const auto after = std::partition_point(queries_.begin(), queries_.end(),
                                            [&](const SqlExecution* query) { return query->start_ns < bucket_end_ns; });
    constexpr ptrdiff_t kMostAtOnce = 64;
    for (auto query = after; query != queries_.begin() && after - query < kMostAtOnce && running == nullptr;) {
      --query;
      if ((*query)->end_ns == 0 || (*query)->end_ns >= sample.time_ns) running = *query;
    }
    return {OwnerKind::kDriver,
            running == nullptr ? std::string(kDriverProgram) : fmt::format("query {}", running->id)};
  }

  // Nothing for threads that are unknown.
  std::optional<OwnerName> JvmOwner(const Sample& sample) const {
    if (sample.task != 0) return TaskOwner(sample);
    const ProfileThread& thread = application_.profile.threads[sample.thread];
    std::string_view work = WorkOf(kinds_[sample.thread]);
    if (work.empty()) work = BackgroundWorkOf(thread.name);
    if (!work.empty()) return OwnerName(OwnerKind::kBackground, work);
    if (kinds_[sample.thread] == ThreadKind::kTask) {
      return OwnerName(OwnerKind::kBackground, "task threads between tasks");
    }
    if (sample.thread == 0) return std::nullopt;
    if (thread.executor == driver_ && driver_ >= 0) return DriverOwner(sample);
    if (thread.name.empty()) return std::nullopt;
    return OwnerOfThreadName(thread.name);
  }

  OwnerName PythonOwner(const Sample& sample) const {
    if (sample.task != 0) return TaskOwner(sample);
    if (programs_.Has(sample)) return DriverOwner(sample);
    return {OwnerKind::kBackground, "Python workers between tasks"};
  }

  const Application& application_;
  const DriverPrograms programs_;
  const std::vector<ThreadKind> kinds_;
  std::vector<const SqlExecution*> queries_;  // by start
  int32_t driver_ = -1;                       // row of the executor that is the driver
  ThreadRemainders remainders_;
  std::map<OwnerName, int64_t> sums_;
  std::map<int32_t, Garbage> garbage_;  // by executor
  std::map<OwnerName, int64_t> garbage_of_;
};

}  // namespace

std::string_view OwnerKindName(OwnerKind kind) {
  constexpr std::string_view kNames[] = {"task", "driver", "background"};
  return kNames[static_cast<size_t>(kind)];
}

OwnerName OwnerOfThreadName(std::string_view name) {
  const ThreadKind kind = KindOfThreadName(name);
  if (kind == ThreadKind::kTask) return {OwnerKind::kTask, std::string(kUnknownTasks)};
  std::string_view work = WorkOf(kind);
  if (work.empty()) work = BackgroundWorkOf(name);
  return {OwnerKind::kBackground, work.empty() ? "thread " + MaskNumbers(name) : std::string(work)};
}

double CpuOwners::Share() const {
  if (processes_ns <= 0) return 0;
  int64_t owned = 0;
  for (const CpuOwner& owner : owners) AddSaturated(owner.cpu_ns, &owned);
  return std::min(1.0, static_cast<double>(owned) / static_cast<double>(processes_ns));
}

int64_t CpuOwners::SumOf(OwnerKind kind) const {
  int64_t sum = 0;
  for (const CpuOwner& owner : owners) {
    if (owner.kind == kind) AddSaturated(owner.cpu_ns, &sum);
  }
  return sum;
}

CpuOwners OwnersOfCpu(const Application& application) {
  CpuOwners owners;
  const EventId cpu = application.profile.Row(Event::kCpu);
  // Where only samples were counted, their time is unknown.
  if (cpu >= application.profile.events.size() || application.profile.events[cpu].unit != "ns") return owners;
  OwnerSums sums(application);
  sums.AddSamples();
  sums.AddUnsampled(&owners);
  sums.ShareGarbageCollection();
  sums.Fill(&owners);
  return owners;
}

}  // namespace sparkprof
