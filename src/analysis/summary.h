// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/owners/cpu_owners.h"
#include "analysis/plans/work_names.h"
#include "analysis/time/stage_summary.h"
#include "model/application.h"

namespace sparkprof {

// The cost of profiling, and the total of the profiled processes. CPU time, ns; 0 = not recorded.
struct ProfilingCost {
  int64_t agent_ns = 0;      // agents, measured by themselves
  int64_t plugin_ns = 0;     // the plugin's own threads, and Spark's threads in plugin code
  int64_t run_ns = 0;        // `sparkprof run`
  int64_t profiler_ns = 0;   // inside the JVM: estimated from the number and depth of samples
  int64_t processes_ns = 0;  // JVMs and their Python workers

  int64_t Sum() const { return agent_ns + plugin_ns + run_ns + profiler_ns; }
};
ProfilingCost CostOf(const Application& application);

// Weight of all CPU samples, and of those of the garbage collector and the JIT compiler.
struct CpuShares {
  int64_t total = 0;
  int64_t gc = 0;
  int64_t jit = 0;
};
CpuShares SharesOfCpu(const Application& application, const std::vector<StackKind>& kinds);

// About ten lines for a terminal: application, duration, use of time, completeness, overhead. Without line ends.
std::vector<std::string> SummaryLines(const Application& application, const std::vector<StackKind>& kinds,
                                      const std::vector<StageSummary>& stages, const WorkNames& names,
                                      const CpuOwners& owners);

}  // namespace sparkprof
