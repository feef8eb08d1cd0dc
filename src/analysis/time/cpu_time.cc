// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/cpu_time.h"

#include <algorithm>

namespace sparkprof {

bool HasCpuTime(const Application& application) {
  constexpr int64_t kLeastNs = 50'000;
  const MetricColumn& cpu = application.tasks.Column(TaskMetric::kExecutorCpuTime);
  return std::any_of(cpu.begin(), cpu.end(), [](int64_t value) { return value >= kLeastNs; });
}

}  // namespace sparkprof
