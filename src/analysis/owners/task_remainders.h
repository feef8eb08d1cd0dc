// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analysis/owners/sample_owners.h"
#include "model/application.h"

namespace sparkprof {

// CPU time of the tasks' own threads by Spark's word (executorCpuTime and executorDeserializeCpuTime), beside that of
// their samples. Spark reads the thread's clock, which is exact and leaves out time that the hypervisor took.
class TaskRemainders {
 public:
  explicit TaskRemainders(const Application& application);

  // A sample of the thread of a task; `task` is a row of Profile::tasks.
  void AddSample(uint32_t task, int64_t cpu_ns);

  // The CPU time that the samples of each stage lack (or, below 0, have too much), by row of the executor. Only of
  // tasks that have ended: Spark counts others later. Samples include the serialization of the result, Spark's time
  // does not.
  std::map<std::pair<int32_t, OwnerName>, int64_t> Differences() const;

 private:
  const Application& application_;
  std::vector<int64_t> sampled_ns_;  // by row of the profile's tasks
};

}  // namespace sparkprof
