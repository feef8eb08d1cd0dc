// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/owners/sample_owners.h"
#include "model/application.h"

namespace sparkprof {

// CPU time of the tasks' own threads according to Spark (executorCpuTime and executorDeserializeCpuTime), compared with
// their samples. Spark reads the thread's clock, which is exact and excludes time stolen by the hypervisor.
class TaskRemainders {
 public:
  explicit TaskRemainders(const Application& application);

  // Adds a sample of a task's thread; `task` is a row of Profile::tasks.
  void AddSample(uint32_t task, int64_t cpu_ns);

  // CPU time missing in the samples of each stage (negative = too much), by executor row. Only for ended tasks, because
  // Spark counts others later. Samples include the serialization of the result, Spark's time does not.
  std::map<std::pair<int32_t, OwnerName>, int64_t> Differences() const;

 private:
  const Application& application_;
  std::vector<int64_t> sampled_ns_;  // by row of the profile's tasks
};

// CPU time of JVM threads beyond their samples: a sampler counts whole intervals, so each thread loses up to one, and a
// busy machine loses some. Spark counts the time of ended tasks, the series thread.NAME.cpu_ns that of others. The rest
// of a name is assigned to the owners of its samples, in proportion; without samples, to the work that the name
// indicates.
class ThreadRemainders {
 public:
  explicit ThreadRemainders(const Application& application);

  // `task` is a row of Profile::tasks.
  void AddSample(uint32_t thread, uint32_t task, const OwnerName& owner, int64_t cpu_ns);

  // At most the CPU time of each JVM minus its samples. Negative if samples have more than Spark counts.
  std::map<OwnerName, int64_t> Sum() const;

 private:
  using Owners = std::map<OwnerName, int64_t>;

  struct Group {
    int64_t sampled_ns = 0;
    Owners owners;
  };
  using GroupName = std::pair<int32_t, std::string>;  // executor and thread name

  std::map<GroupName, Group> Groups() const;
  // CPU time of each JVM without samples, by executor row.
  std::map<int32_t, double> WithoutSamples() const;

  const Application& application_;
  std::vector<Owners> of_threads_;    // by row of the profile's threads
  std::vector<bool> is_task_thread_;  // by row of the profile's threads, from the name
  TaskRemainders tasks_;
};

// A part of the CPU time by what it was used for.
struct CpuOwner {
  std::string name;  // "stage 3.0", "query 2", "driver program", "garbage collection"
  OwnerKind kind = OwnerKind::kBackground;
  int64_t cpu_ns = 0;
  // CPU time of garbage collection caused by this owner's allocations, in proportion to the allocation samples of its
  // JVM. Counted for the owner kGarbageCollection, not here.
  int64_t garbage_ns = 0;
};

struct CpuOwners {
  std::vector<CpuOwner> owners;  // largest first
  // CPU time of the profiled processes according to the operating system: JVMs, Python programs and workers, agents;
  // ns, 0 = not recorded.
  int64_t processes_ns = 0;

  // The share of processes_ns with an owner, at most 1 (samples have a resolution of some milliseconds). 0 if
  // processes_ns is unknown.
  double Share() const;
  int64_t SumOf(OwnerKind kind) const;
};

// The owner of every CPU sample, JVM's and Python's, once each:
//   task        its stage and attempt, Python workers and native engines included
//   driver      the SQL query that runs on the driver at that time, or the driver program
//   background  work of Spark and the JVM, named: see BackgroundWorkOf; threads of others by their names, numbers as #
// the part of each JVM thread's CPU time that its samples lack: see ThreadRemainders and TaskRemainders; and, by the
// operating system's counters, of the time of JVMs and driver programs before sampling began, of the daemons that start
// Python workers, and of the agents. `application` as read, before ChooseLanguage. Samples of unknown threads have no
// owner.
CpuOwners OwnersOfCpu(const Application& application);

}  // namespace sparkprof
