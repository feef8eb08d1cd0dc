// SPDX-License-Identifier: Apache-2.0
#include "analysis/owners/cpu_owners.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "analysis/machines/series.h"
#include "analysis/python/driver_lines.h"
#include "analysis/selection/threads.h"
#include "base/saturate.h"
#include "base/text/text.h"
#include "model/task_index.h"

namespace sparkprof {
namespace {

// The NAME in "thread.NAME.cpu_ns"; empty for other series.
std::string_view ThreadsOf(const ApplicationSeries& series) {
  constexpr std::string_view kBegin = "thread.", kEnd = ".cpu_ns";
  const std::string_view name = series.name;
  if (name.size() <= kBegin.size() + kEnd.size() || !name.starts_with(kBegin) || !name.ends_with(kEnd)) return {};
  return name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
}

// A thread's possible names in the kernel: the first 15 bytes, or since JDK 21 the first 7 and the last 6.
std::set<std::string> KernelNames(std::string_view name) {
  constexpr size_t kMax = 15;
  if (name.size() <= kMax) return {MaskNumbers(name)};
  return {MaskNumbers(name.substr(0, kMax)),
          MaskNumbers(fmt::format("{}..{}", name.substr(0, 7), name.substr(name.size() - 6)))};
}

double RoundedShare(double whole, int64_t part, int64_t parts) {
  return whole * static_cast<double>(part) / static_cast<double>(parts);
}

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
    std::ranges::stable_sort(owners->owners, std::greater(), &CpuOwner::cpu_ns);
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

TaskRemainders::TaskRemainders(const Application& application)
    : application_(application), sampled_ns_(application.profile.tasks.size()) {}

void TaskRemainders::AddSample(uint32_t task, int64_t cpu_ns) { AddSaturated(cpu_ns, &sampled_ns_[task]); }

std::map<std::pair<int32_t, OwnerName>, int64_t> TaskRemainders::Differences() const {
  const Tasks& tasks = application_.tasks;
  std::vector<int64_t> sampled_ns(tasks.Size());
  const TaskIndex index(tasks);
  for (size_t row = 1; row < sampled_ns_.size(); ++row) {
    const int32_t task = sampled_ns_[row] == 0 ? -1 : index.Row(application_.profile.tasks[row].task);
    if (task >= 0) AddSaturated(sampled_ns_[row], &sampled_ns[static_cast<size_t>(task)]);
  }
  struct Sums {
    int64_t sampled_ns = 0;
    int64_t least_ns = 0;
    int64_t most_ns = 0;  // including serialization of results
  };
  std::map<std::pair<int32_t, int32_t>, Sums> stages;  // by executor row and stage row
  for (size_t row = 0; row < tasks.Size(); ++row) {
    int64_t cpu_ns = tasks.Column(TaskMetric::kExecutorCpuTime)[row];
    AddSaturated(tasks.Column(TaskMetric::kDeserializeCpuTime)[row], &cpu_ns);
    if (cpu_ns <= 0 || tasks.executor[row] < 0 || tasks.stage[row] < 0) continue;
    Sums& sums = stages[{tasks.executor[row], tasks.stage[row]}];
    AddSaturated(sampled_ns[row], &sums.sampled_ns);
    AddSaturated(cpu_ns, &sums.least_ns);
    AddSaturated(cpu_ns, &sums.most_ns);
    AddSaturated(std::max<int64_t>(0, tasks.Column(TaskMetric::kResultSerializationTime)[row]), &sums.most_ns);
  }
  std::map<std::pair<int32_t, OwnerName>, int64_t> differences;
  for (const auto& [place, sums] : stages) {
    const Stage& stage = application_.stages[static_cast<size_t>(place.second)];
    const int64_t expected_ns = std::clamp(sums.sampled_ns, sums.least_ns, sums.most_ns);
    if (expected_ns == sums.sampled_ns) continue;
    differences[{place.first, OwnerOfStage(stage.id, stage.attempt)}] += expected_ns - sums.sampled_ns;
  }
  return differences;
}

ThreadRemainders::ThreadRemainders(const Application& application)
    : application_(application), of_threads_(application.profile.threads.size()), tasks_(application) {
  for (const ProfileThread& thread : application.profile.threads) {
    is_task_thread_.push_back(KindOfThreadName(thread.name) == ThreadKind::kTask);
  }
}

void ThreadRemainders::AddSample(uint32_t thread, uint32_t task, const OwnerName& owner, int64_t cpu_ns) {
  AddSaturated(cpu_ns, &of_threads_[thread][owner]);
  if (task != 0 && is_task_thread_[thread]) tasks_.AddSample(task, cpu_ns);
}

std::map<ThreadRemainders::GroupName, ThreadRemainders::Group> ThreadRemainders::Groups() const {
  std::map<GroupName, Group> groups;
  for (size_t row = 0; row < of_threads_.size(); ++row) {
    if (of_threads_[row].empty()) continue;
    const ProfileThread& thread = application_.profile.threads[row];
    for (const std::string& name : KernelNames(thread.name)) {
      Group& group = groups[{thread.executor, name}];
      for (const auto& [owner, cpu_ns] : of_threads_[row]) {
        AddSaturated(cpu_ns, &group.owners[owner]);
        AddSaturated(cpu_ns, &group.sampled_ns);
      }
    }
  }
  return groups;
}

std::map<int32_t, double> ThreadRemainders::WithoutSamples() const {
  std::map<int32_t, double> left;
  for (const ApplicationSeries& series : application_.series) {
    if (series.name != "process.cpu_ns" || series.process < 0 || series.points.empty()) continue;
    const bool is_jvm = application_.processes[static_cast<size_t>(series.process)].process.role == "jvm";
    if (is_jvm) left[series.executor] += Growth(series) - series.points.front().value;
  }
  for (size_t row = 0; row < of_threads_.size(); ++row) {
    for (const auto& [owner, cpu_ns] : of_threads_[row]) {
      left[application_.profile.threads[row].executor] -= static_cast<double>(cpu_ns);
    }
  }
  return left;
}

std::map<OwnerName, int64_t> ThreadRemainders::Sum() const {
  std::map<int32_t, double> left = WithoutSamples();
  const std::map<GroupName, Group> groups = Groups();
  struct Remainder {
    Owners owners;  // in proportion to their samples
    double cpu_ns;
  };
  std::map<int32_t, std::vector<Remainder>> of_jvms;
  std::map<int32_t, double> sums, of_tasks;
  const auto add = [&](int32_t executor, const Owners& owners, double cpu_ns) {
    of_jvms[executor].push_back({owners, cpu_ns});
    sums[executor] += cpu_ns;
  };
  Owners all;
  for (const auto& [place, difference_ns] : tasks_.Differences()) {
    const auto& [executor, owner] = place;
    if (!left.contains(executor)) continue;  // not profiled
    of_tasks[executor] += static_cast<double>(difference_ns);
    if (difference_ns > 0) {
      add(executor, {{owner, 1}}, static_cast<double>(difference_ns));
    } else {
      all[owner] += difference_ns;
      left[executor] -= static_cast<double>(difference_ns);
    }
  }
  for (const ApplicationSeries& series : application_.series) {
    const std::string_view name = ThreadsOf(series);
    if (name.empty() || series.points.empty()) continue;
    const auto group = groups.find({series.executor, std::string(name)});
    double missed = series.points.back().value;
    if (group != groups.end()) missed -= static_cast<double>(group->second.sampled_ns);
    if (KindOfThreadName(name) == ThreadKind::kTask) missed -= of_tasks[series.executor];
    if (missed <= 0) continue;
    const bool has_samples = group != groups.end() && group->second.sampled_ns > 0;
    add(series.executor, has_samples ? group->second.owners : Owners{{OwnerOfThreadName(name), 1}}, missed);
  }
  for (const auto& [executor, remainders] : of_jvms) {
    const double scale = std::min(1.0, std::max(0.0, left[executor]) / sums[executor]);
    for (const Remainder& remainder : remainders) {
      int64_t whole = 0;
      for (const auto& [owner, part] : remainder.owners) AddSaturated(part, &whole);
      for (const auto& [owner, part] : remainder.owners) {
        AddSaturated(static_cast<int64_t>(RoundedShare(scale * remainder.cpu_ns, part, whole)), &all[owner]);
      }
    }
  }
  return all;
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
