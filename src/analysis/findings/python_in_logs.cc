// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/log_values.h"
#include "analysis/findings/python_log_times.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchPythonTime = 0.5;  // of the tasks' time
constexpr double kSavedOfRows = 0.2;     // of the time of functions that get one row at a time
constexpr double kSavedOfOthers = 0.03;  // unknown: enough to be shown, and no more

}  // namespace

std::optional<Finding> FindPythonInLogs(const FindingInput& input) {
  const PythonLogTimes times = PythonTimesInLogs(input.application);
  const int64_t tasks_ns = TaskTime(input.application);
  const double share = std::min(1.0, Share(times.total_ns, tasks_ns));
  if (times.total_ns < kWorthwhileNs || share < kMuchPythonTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Python workers run for {} of task time", FormatShare(share));
  finding.confidence = 0.5;
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
  // Most of it may be what the job is for. What a rewrite saves of functions that get batches or records of an RDD is
  // unknown.
  const double of_rows = Share(times.of_rows_ns, times.total_ns);
  const double likely = of_rows * kSavedOfRows + (1 - of_rows) * kSavedOfOthers;
  const int64_t most_ns = (times.total_ns - times.starting_ns) / input.cores;
  finding.gain_ns = static_cast<int64_t>(static_cast<double>(most_ns) * likely);
  finding.gain_low = 2 * times.of_rows_ns >= times.total_ns ? 0.2 : 0;
  finding.gain_high = 1 / likely;
  return finding;
}

}  // namespace sparkprof
