// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/owners/sample_owners.h"
#include "model/application.h"

namespace sparkprof {

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
