// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/log_values.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchPythonTime = 0.5;  // share of task time

}  // namespace

std::optional<Finding> FindPythonInLogs(const FindingInput& input) {
  if (input.IsExcerpt()) return std::nullopt;
  const PythonLogTimes times = PythonTimesInLogs(input.application);
  const int64_t tasks_ns = TaskTime(input.application);
  const double share = std::min(1.0, Share(times.total_ns, tasks_ns));
  if (times.total_ns < kWorthwhileNs || share < kMuchPythonTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Python workers run for {} of task time", FormatShare(share));
  finding.what = fmt::format("In {} tasks Python workers ran for {}; all tasks took {}", times.count,
                             FormatDuration(times.total_ns), FormatDuration(tasks_ns));
  finding.evidence = fmt::format(
      "times that Spark's Python runners log; {} of it to start and initialize the workers. Whether Python computes, "
      "sleeps or waits for rows is unknown without a profile",
      FormatDuration(times.starting_ns));
  finding.condition =
      fmt::format("By text logs alone, Python workers run for at least {} of task time", FormatShare(kMuchPythonTime));
  finding.selection.event = EventName(Event::kWall);
  finding.stages = StagesThatLog(input.application, kPythonTimes);
  finding.change =
      "Profile the job with `sparkprof run` to see the lines of Python. Replace Python functions by built-in SQL "
      "functions, and functions that get one row at a time by pandas UDFs";
  // Most of the time may be the purpose of the job. The saving of rewriting functions for batches or RDDs is unknown.
  const bool is_of_rows = 2 * times.of_rows_ns >= times.total_ns;
  finding.claim = ClaimStages(input, finding.stages, (times.total_ns - times.starting_ns) / input.cores,
                              is_of_rows ? kSome : kUnsure);
  return finding;
}

}  // namespace sparkprof
