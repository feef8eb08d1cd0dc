// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/time_range.h"

#include <algorithm>

#include "model/application_times.h"

namespace sparkprof {
namespace {

class Extent {
 public:
  void Add(int64_t time_ns) {
    if (time_ns <= 0) return;
    first_ = first_ == 0 ? time_ns : std::min(first_, time_ns);
    last_ = std::max(last_, time_ns);
  }

  int64_t first() const { return first_; }
  int64_t last() const { return last_; }

 private:
  int64_t first_ = 0;
  int64_t last_ = 0;
};

}  // namespace

TimeRange RangeOf(const Application& application) {
  if (application.start_ns > 0 && application.end_ns >= application.start_ns) {
    return {application.start_ns, application.end_ns};
  }
  // Not all formats count from the epoch.
  if (application.is_foreign) return {application.start_ns, application.end_ns};
  Extent extent;
  ForEachScheduledTime(application, [&](int64_t time_ns) { extent.Add(time_ns); });
  for (size_t i = 0; i < application.tasks.Size(); ++i) {
    extent.Add(application.tasks.launch_ns[i]);
    extent.Add(application.tasks.finish_ns[i]);
  }
  for (const ApplicationSeries& series : application.series) {
    if (series.points.empty()) continue;
    extent.Add(series.points.front().time_ns);
    extent.Add(series.points.back().time_ns);
  }
  for (const Sample& sample : application.profile.samples) {
    if (sample.time_ns == kNoTime) continue;
    extent.Add(sample.time_ns);
    extent.Add(sample.time_ns + application.profile.bucket_ns);
  }
  if (application.start_ns == 0 && extent.first() == 0) {
    for (const int64_t time_ns : application.logs.time_ns) extent.Add(time_ns);
    if (extent.first() == 0) extent.Add(application.end_ns);
  }
  const int64_t start_ns = application.start_ns > 0 ? application.start_ns : extent.first();
  return {start_ns, std::max({start_ns, application.end_ns, extent.last()})};
}

}  // namespace sparkprof
