// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/rules.h"
#include "analysis/neighbours.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kMuchStarved = 0.3;                 // of the tasks' wall-clock samples
constexpr int64_t kStarvedNs = 2 * kNanosPerSecond;  // of task time; the JVM's own threads compete while it warms up

constexpr double kMostlyStarved = 0.6;

}  // namespace

std::optional<Finding> FindCpuStarvation(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  // Wall-clock samples of running threads without a CPU sample: the thread was ready, and no core was free.
  const Profile& profile = input.application.profile;
  const EventId wall = profile.Row(Event::kWall);
  int64_t runnable_ns = 0;
  for (const uint32_t row : summary.samples) {
    const Sample& sample = profile.samples[row];
    if (sample.event == wall && sample.state == ThreadState::kRunning) runnable_ns += sample.weight;
  }
  const int64_t starved_ns = runnable_ns - summary.cpu_samples_ns;
  const double share = Share(starved_ns, summary.wall_samples_ns);
  if (summary.cpu_samples_ns == 0 || starved_ns < kStarvedNs || share < kMuchStarved) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: tasks wait for a CPU for {} of their time", stage.id, FormatShare(share));
  finding.confidence = 0.7;
  finding.what = fmt::format("Tasks of {} were ready to run for {}, but had a CPU for only {}", StageText(stage),
                             FormatDuration(runnable_ns), FormatDuration(summary.cpu_samples_ns));
  finding.evidence = fmt::format("{} of {} of wall-clock samples", FormatDuration(starved_ns),
                                 FormatDuration(summary.wall_samples_ns));
  if (const std::string who = NeighbourText(NeighboursOfTasks(input.application, summary.tasks)); !who.empty()) {
    finding.evidence += "; " + who;
  }
  finding.condition =
      fmt::format("Tasks are runnable without a CPU for at least {} of their wall-clock samples and at least {}",
                  FormatShare(kMuchStarved), FormatDuration(kStarvedNs));
  finding.selection = SelectStage(stage, Event::kWall);
  finding.selection.state = ThreadState::kRunning;
  finding.change =
      "Give the executors as many CPUs as they have task slots: spark.executor.cores (or local[N]) must not exceed the "
      "container's CPUs, and Python workers need some as well. Check the host for other processes, and the container "
      "for CPU limits";
  finding.gain_ns = WallTimeOf(input, summary,
                               static_cast<int64_t>(static_cast<double>(summary.Total(TaskMetric::kDuration)) * share));
  finding.gain_low = 0.3;
  finding.gain_high = 1;
  // The compiler and the collector of a short job take as much.
  finding.severity = share < kMostlyStarved ? Severity::kLow : SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

}  // namespace sparkprof
