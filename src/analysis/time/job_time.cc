// SPDX-License-Identifier: Apache-2.0
#include "analysis/time/job_time.h"

#include <algorithm>

namespace sparkprof {

JobTimes::JobTimes(const Application& application) {
  std::vector<std::pair<int64_t, int64_t>> jobs;
  for (const Job& job : application.jobs) {
    const int64_t end_ns = job.end_ns > 0 ? job.end_ns : INT64_MAX;
    if (job.submit_ns > 0 && end_ns > job.submit_ns) jobs.emplace_back(job.submit_ns, end_ns);
  }
  std::sort(jobs.begin(), jobs.end());
  for (const auto& [begin_ns, end_ns] : jobs) {
    if (spans_.empty() || begin_ns > spans_.back().second) {
      spans_.emplace_back(begin_ns, end_ns);
    } else {
      spans_.back().second = std::max(spans_.back().second, end_ns);
    }
  }
}

int64_t JobTimes::Between(int64_t begin_ns, int64_t end_ns) const {
  auto span = std::upper_bound(spans_.begin(), spans_.end(), begin_ns,
                               [](int64_t time_ns, const auto& one) { return time_ns < one.second; });
  int64_t time_ns = 0;
  for (; span != spans_.end() && span->first < end_ns; ++span)
    time_ns += std::max<int64_t>(0, std::min(span->second, end_ns) - std::max(span->first, begin_ns));
  return time_ns;
}

}  // namespace sparkprof
