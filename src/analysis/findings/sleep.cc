// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "analysis/findings/python_work.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/wait_place.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchWaiting = 0.5;      // of the run time
constexpr double kCertainWaiting = 0.95;  // of the run time: a busy host leaves tasks more of the CPU
constexpr size_t kPlacesShown = 3;

// Where the stage's tasks sleep or wait in the JVM, except for Python.
std::vector<WaitPlace> PlacesInJvm(const FindingInput& input, const StageSummary& summary) {
  std::map<StackId, int64_t> by_stack;
  const Profile& profile = input.application.profile;
  const EventId wall = profile.Row(Event::kWall);
  for (const uint32_t row : summary.samples) {
    const Sample& sample = profile.samples[row];
    if (sample.event != wall || sample.state == ThreadState::kRunning) continue;
    const StackKind kind = input.kinds[sample.stack];
    if (kind == StackKind::kPythonWait || kind == StackKind::kPythonStart || kind == StackKind::kVmWait) continue;
    by_stack[sample.stack] += sample.weight;
  }
  return PlacesOf(input.application, by_stack);
}

// The time of the tasks; text logs have no metrics.
int64_t RunTime(const StageSummary& summary) {
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  return run_ns > 0 ? run_ns : summary.Total(TaskMetric::kDuration);
}

// Run time in which tasks neither computed in the JVM nor waited for something covered by Spark's metrics or another
// rule. Runnable time without a core is not a wait: use wall-clock samples if available.
int64_t WaitInJvm(const StageSummary& summary) {
  const int64_t run_ns = RunTime(summary);
  if (summary.wall_samples_ns > 0) {
    const int64_t sleep_ns = std::max<int64_t>(0, summary.sleep_ns - summary.lock_ns);
    const auto by_samples =
        static_cast<int64_t>(static_cast<double>(run_ns) * Share(sleep_ns, summary.wall_samples_ns));
    if (summary.Total(TaskMetric::kExecutorRunTime) == 0) return by_samples;
    return std::min(by_samples, run_ns - summary.Total(TaskMetric::kExecutorCpuTime));
  }
  if (summary.Total(TaskMetric::kExecutorRunTime) == 0) return 0;
  return run_ns - summary.Total(TaskMetric::kExecutorCpuTime) - summary.Total(TaskMetric::kGcTime) -
         summary.Total(TaskMetric::kShuffleFetchWait);
}

// Run time in which the JVM waits for a line of Python that sleeps.
int64_t WaitInPython(const PythonWork& work, const StageSummary& summary) {
  const double waits = summary.wall_samples_ns > 0 ? Share(summary.python_wait_ns, summary.wall_samples_ns) : 1;
  return static_cast<int64_t>(static_cast<double>(RunTime(summary)) * waits * Share(work.sleep_ns, work.wall_ns));
}

}  // namespace

std::optional<Finding> FindSleep(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const PythonWork work = WorkOfPython(input.application, summary);
  const int64_t run_ns = RunTime(summary), jvm_ns = WaitInJvm(summary), python_ns = WaitInPython(work, summary);
  const int64_t wait_ns = jvm_ns + python_ns;
  if (wait_ns < kWorthwhileNs || Share(wait_ns, run_ns) < kMuchWaiting) return std::nullopt;
  const bool sampled = summary.wall_samples_ns > 0 || work.wall_ns > 0;
  // A case for FindPythonBoundStages: whether Python computes or sleeps is unknown.
  if (!sampled && UsesPython(input.application, stage, summary)) return std::nullopt;
  Finding finding;
  const std::string share = FormatShare(Share(wait_ns, run_ns));
  finding.title =
      fmt::format("Stage {}: tasks {} for {} of their run time", stage.id, sampled ? "sleep or wait" : "wait", share);
  finding.what =
      fmt::format("Tasks of {} waited for {} of {} run time", StageText(stage), share, FormatDuration(run_ns));
  finding.evidence = fmt::format("CPU time {}", FormatDuration(summary.Total(TaskMetric::kExecutorCpuTime)));
  finding.condition = fmt::format(
      "For at least {} of their run time and at least {}, tasks and their Python workers do not use the CPU and do not "
      "wait for garbage collection, locks or the shuffle",
      FormatShare(kMuchWaiting), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  if (python_ns > jvm_ns) {
    for (const PythonLine& line : work.by_sleep) {
      if (finding.frames.size() < kPlacesShown && Share(line.wall_ns, work.sleep_ns) >= 0.1)
        finding.frames.push_back(line.text);
    }
  } else {
    for (const WaitPlace& place : PlacesInJvm(input, summary)) {
      if (finding.frames.size() < kPlacesShown && Share(place.weight_ns, summary.sleep_ns) >= 0.1)
        finding.frames.push_back(place.text);
    }
  }
  finding.confidence = finding.frames.empty() ? 0.6 : 0.9;
  if (!finding.frames.empty()) finding.evidence += fmt::format("; waits in {}", fmt::join(finding.frames, ", "));
  finding.change =
      !sampled ? "Profile the job with `--events cpu,wall`: the wall-clock flame graph shows where tasks wait"
               : "Remove the sleep; or request many records at once from the remote service (mapPartitions, a pool of "
                 "threads), or run more tasks at once";
  finding.gain_high = 1;
  // Without samples the tasks may as well have waited for a CPU.
  if (sampled || Share(wait_ns, run_ns) >= kCertainWaiting) finding.gain_ns = WallTimeOf(input, summary, wait_ns);
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

}  // namespace sparkprof
