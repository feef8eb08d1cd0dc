// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "analysis/findings/log_values.h"
#include "analysis/findings/python/worker_times.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
std::optional<Finding> FindWorkerStartsInLogs(const FindingInput& input) {
  if (input.IsExcerpt()) return std::nullopt;
  PythonLogTimes times = PythonTimesInLogs(input.application);
  const double share = Share(times.starting_ns, times.total_ns);
  if (times.count < kStartsPerCore * input.cores) return std::nullopt;
  // Each core starts one worker in any case.
  std::sort(times.starts_ns.rbegin(), times.starts_ns.rend());
  const auto first = times.starts_ns.begin();
  const int64_t needed_ns = std::accumulate(first, first + input.cores, int64_t{0});
  const int64_t again_ns = times.starting_ns - needed_ns;
  const double of_others = 1 - Share(input.cores, times.count);
  const auto others_ns = static_cast<int64_t>(static_cast<double>(times.total_ns) * of_others);
  if (again_ns < kWorthwhileNs || Share(again_ns, others_ns) < kMuchStarting) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Starting and initializing Python workers takes {} of their time", FormatShare(share));
  // A reused worker imports nothing, but on a busy machine it waits for a CPU.
  const bool are_reused = 2 * times.reused > times.count;
  finding.what = fmt::format("In {} tasks Python workers ran for {}, and needed {} until they began to compute",
                             times.count, FormatDuration(times.total_ns), FormatDuration(times.starting_ns));
  finding.evidence = "times that Spark's Python runners log";
  finding.condition = fmt::format(
      "By text logs alone, the start and initialization of Python workers take at least {} of the workers' time, with "
      "at least {} tasks per core",
      FormatShare(kMuchStarting), kStartsPerCore);
  finding.selection.event = EventName(Event::kWall);
  finding.stages = StagesThatLog(input.application, kPythonTimes);
  finding.change =
      are_reused ? "Use fewer and longer tasks, and keep large data out of the functions that tasks deserialize "
                   "(broadcast() it)"
                 : "Set spark.python.worker.reuse=true, use fewer and longer tasks, and import large modules only "
                   "where they are needed";
  finding.claim = ClaimStages(input, finding.stages, again_ns / input.cores, are_reused ? kSome : kHalf);
  return finding;
}

}  // namespace sparkprof
