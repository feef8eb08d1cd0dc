// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/findings/python_work.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchOwnWaiting = 0.5;  // of the run time
constexpr size_t kSleepersShown = 3;

}  // namespace

std::optional<Finding> FindOwnThreads(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  const int64_t run_ns = RunTime(summary), wait_ns = TimeInPython(summary, work.ShareOfPool());
  const double share = Share(wait_ns, run_ns);
  if (wait_ns < kWorthwhileNs || share < kMuchOwnWaiting) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: tasks wait for sleeping threads of their own for {} of their run time",
                              stage.id, FormatShare(share));
  finding.what = fmt::format("Python code of {} started threads and waited for them for {} of {} run time",
                             StageText(stage), FormatShare(share), FormatDuration(run_ns));
  for (const PythonLine& line : work.by_pool) {
    if (finding.frames.size() < kSleepersShown && Share(line.wall_ns, work.by_pool.front().wall_ns) >= 0.1)
      finding.frames.push_back(line.text);
  }
  finding.evidence = fmt::format("{:.0f} threads of a worker sleep at once on average, in {}", work.pool_threads,
                                 fmt::join(finding.frames, ", "));
  finding.condition = fmt::format(
      "For at least {} of the run time and at least {}, Python workers wait for several threads that their code "
      "started, and these use almost no CPU",
      FormatShare(kMuchOwnWaiting), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.change =
      "The tasks already make several calls at once. If the remote service can take more, use more threads in each "
      "task or run more tasks at once; else speed up the service";
  finding.confidence = 0.8;
  // What the service can take is unknown.
  finding.severity = Severity::kLow;
  return finding;
}

}  // namespace sparkprof
