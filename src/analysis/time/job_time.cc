// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/job_time.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sparkprof {

int64_t JobTimeBetween(const Application& application, int64_t begin_ns, int64_t end_ns) {
  std::vector<std::pair<int64_t, int64_t>> spans;
  for (const Job& job : application.jobs) {
    if (job.submit_ns <= 0) continue;
    const int64_t job_end_ns = job.end_ns > 0 ? std::min(job.end_ns, end_ns) : end_ns;
    // A stream has thousands of jobs, and few of them in a batch.
    if (job.submit_ns >= end_ns || job_end_ns <= begin_ns) continue;
    spans.emplace_back(std::max(job.submit_ns, begin_ns), job_end_ns);
  }
  std::sort(spans.begin(), spans.end());
  int64_t time_ns = 0, until_ns = begin_ns;
  for (const auto& [from_ns, to_ns] : spans) {
    time_ns += std::max<int64_t>(0, to_ns - std::max(from_ns, until_ns));
    until_ns = std::max(until_ns, to_ns);
  }
  return time_ns;
}

}  // namespace sparkprof
