// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
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

}  // namespace sparkprof
