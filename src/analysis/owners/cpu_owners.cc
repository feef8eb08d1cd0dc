// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/cpu_owners.h"

#include <algorithm>
#include <map>
#include <optional>

#include "analysis/machines/series.h"
#include "analysis/owners/thread_remainders.h"
#include "analysis/python/driver_programs.h"
#include "base/saturate.h"

namespace sparkprof {
namespace {

class OwnerSums {
 public:
  explicit OwnerSums(const Application& application)
      : application_(application), programs_(application), owners_(application), remainders_(application) {}

  void AddSamples() {
    const EventId cpu = application_.profile.Row(Event::kCpu);
    ForEachRun(cpu, [&](const Sample& sample, int64_t weight) {
      const std::optional<OwnerName> owner = owners_.OfJvm(sample);
      if (!owner) return;
      AddSaturated(weight, &sums_[*owner]);
      if (IsGarbageCollection(*owner)) AddSaturated(weight, &garbage_[application_.ExecutorOf(sample)].cpu_ns);
      remainders_.AddSample(sample.thread, sample.task, *owner, weight);
    });
    for (const Sample& sample : application_.python_samples) {
      if (sample.event == cpu) AddSaturated(sample.weight, &sums_[PythonOwner(sample)]);
    }
    for (const auto& [owner, cpu_ns] : remainders_.Sum()) AddSaturated(cpu_ns, &sums_[owner]);
  }

  // Adds the usage of JVMs and driver programs before their samplers started, and of processes without samples.
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
      // Has no samples: it imports PySpark and forks the workers.
      if (role == "python_daemon")
        Add("start of Python workers", OwnerKind::kBackground, static_cast<int64_t>(Growth(series)));
    }
    owners->processes_ns = static_cast<int64_t>(processes);
  }

  // Assigns each JVM's garbage collection to the owners of its allocations.
  void ShareGarbageCollection() {
    const EventId alloc = application_.profile.Row(Event::kAlloc);
    if (garbage_.empty() || alloc == kNoEvent) return;
    ForEachRun(alloc, [&](const Sample& sample, int64_t weight) {
      const auto garbage = garbage_.find(application_.ExecutorOf(sample));
      if (garbage == garbage_.end()) return;
      const std::optional<OwnerName> owner = owners_.OfJvm(sample);
      if (!owner) return;
      AddSaturated(weight, &garbage->second.bytes);
      AddSaturated(weight, &garbage->second.bytes_of[*owner]);
    });
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

  // Calls use(sample, weight) for the samples of an event, once per run of consecutive samples of one thread and task,
  // because a task has one owner.
  template <typename Use>
  void ForEachRun(EventId event, const Use& use) const {
    const Sample* run = nullptr;
    int64_t weight = 0;
    for (const Sample& sample : application_.profile.samples) {
      if (sample.event != event) continue;
      const bool is_same =
          run != nullptr && sample.task != 0 && sample.task == run->task && sample.thread == run->thread;
      if (!is_same) {
        if (run != nullptr) use(*run, weight);
        run = &sample;
        weight = 0;
      }
      AddSaturated(sample.weight, &weight);
    }
    if (run != nullptr) use(*run, weight);
  }

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

  OwnerName PythonOwner(const Sample& sample) const {
    if (sample.task != 0) return owners_.OfTask(sample);
    if (programs_.Has(sample)) return owners_.OfDriver(sample);
    return {OwnerKind::kBackground, "Python workers between tasks"};
  }

  const Application& application_;
  const DriverPrograms programs_;
  const SampleOwners owners_;
  ThreadRemainders remainders_;
  std::map<OwnerName, int64_t> sums_;
  std::map<int32_t, Garbage> garbage_;  // by executor
  std::map<OwnerName, int64_t> garbage_of_;
};

}  // namespace

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
  // If samples were only counted, their time is unknown.
  if (cpu >= application.profile.events.size() || application.profile.events[cpu].unit != "ns") return owners;
  OwnerSums sums(application);
  sums.AddSamples();
  sums.AddUnsampled(&owners);
  sums.ShareGarbageCollection();
  sums.Fill(&owners);
  return owners;
}

}  // namespace sparkprof
