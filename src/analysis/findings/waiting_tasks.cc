// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "analysis/findings/rules.h"
#include "analysis/frame_origin.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchWaiting = 0.5;  // of the run time
constexpr size_t kPlacesShown = 3;

bool IsMachine(FrameKind kind) { return kind == FrameKind::kKernel || kind == FrameKind::kNative; }

// "java.lang.Object.wait below org.apache.spark.util.KeyLock.acquireLock": the Java function in which a stack waits,
// and the nearest one that is not the JDK's own.
std::string WaitText(const Application& application, StackId stack) {
  const auto frame = [&](StackId id) -> const Frame& {
    return application.profile.frames.Get(application.profile.stacks.Get(id).frame);
  };
  const auto name = [&](StackId id) { return application.profile.strings.Get(frame(id).name); };
  while (stack != 0 && IsMachine(frame(stack).kind)) stack = application.profile.stacks.Get(stack).parent;
  if (stack == 0) return {};
  StackId caller = stack;
  while (caller != 0 && OriginOf(name(caller), {}, frame(caller).kind) == FrameOrigin::kJdk)
    caller = application.profile.stacks.Get(caller).parent;
  if (caller == 0 || caller == stack) return std::string(name(stack));
  return fmt::format("{} below {}", name(stack), name(caller));
}

// Where the stage's tasks sleep or wait, except for Python: the places with the most weight.
std::vector<std::string> WhereTasksSleep(const FindingInput& input, const StageSummary& summary) {
  int64_t total = 0;
  std::unordered_map<StackId, int64_t> by_stack;
  const Profile& profile = input.application.profile;
  const EventId wall = profile.Row(Event::kWall);
  for (const uint32_t row : summary.samples) {
    const Sample& sample = profile.samples[row];
    if (sample.event != wall || sample.state == ThreadState::kRunning ||
        input.kinds[sample.stack] == StackKind::kPythonWait)
      continue;
    by_stack[sample.stack] += sample.weight;
    total += sample.weight;
  }
  std::map<std::string, int64_t> by_place;
  for (const auto& [stack, weight] : by_stack) by_place[WaitText(input.application, stack)] += weight;
  by_place.erase("");
  std::vector<std::pair<int64_t, std::string>> places;
  for (const auto& [place, weight] : by_place) places.emplace_back(weight, place);
  std::sort(places.rbegin(), places.rend());
  std::vector<std::string> texts;
  for (const auto& [weight, place] : places) {
    if (texts.size() == kPlacesShown || Share(weight, total) < 0.1) break;
    texts.push_back(fmt::format("{} {}", place, FormatShare(Share(weight, total))));
  }
  return texts;
}

// Run time in which tasks neither computed nor waited for something covered by Spark's metrics or another rule.
// Runnable time without a core is not a wait: use wall-clock samples if available.
int64_t WaitOf(const StageSummary& summary) {
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  const int64_t by_metrics = run_ns - summary.Total(TaskMetric::kExecutorCpuTime) - summary.Total(TaskMetric::kGcTime) -
                             summary.Total(TaskMetric::kShuffleFetchWait);
  if (summary.wall_samples_ns == 0) return by_metrics;
  const double by_samples = static_cast<double>(run_ns) * Share(summary.sleep_ns, summary.wall_samples_ns);
  return std::min(by_metrics, static_cast<int64_t>(by_samples));
}

}  // namespace

std::optional<Finding> FindWaitingTasks(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
  const int64_t wait_ns = WaitOf(summary);
  if (wait_ns < kWorthwhileNs || Share(wait_ns, run_ns) < kMuchWaiting) return std::nullopt;
  Finding finding;
  finding.id = StageFindingId("waiting", stage);
  finding.title =
      fmt::format("Stage {}: tasks wait for {} of their run time", stage.id, FormatShare(Share(wait_ns, run_ns)));
  finding.what = fmt::format("Tasks of {} waited for {} of {} run time", StageText(stage),
                             FormatShare(Share(wait_ns, run_ns)), FormatDuration(run_ns));
  finding.evidence = fmt::format("CPU time {}", FormatDuration(summary.Total(TaskMetric::kExecutorCpuTime)));
  finding.rule = fmt::format(
      "For at least {} of their run time and at least {}, tasks do not use the CPU and do not wait for garbage "
      "collection or the shuffle",
      FormatShare(kMuchWaiting), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kWall);
  const std::vector<std::string> where = WhereTasksSleep(input, summary);
  finding.confidence = where.empty() ? 0.6 : 0.85;
  if (!where.empty()) finding.evidence += fmt::format("; waits in {}", fmt::join(where, ", "));
  finding.change =
      summary.wall_samples_ns == 0
          ? "Profile the job with `--events cpu,wall`: the wall-clock flame graph shows where tasks wait"
          : "Check the wall-clock flame graph of the stage: remove sleeps, request many records at once from remote "
            "services, or run more tasks in parallel";
  finding.gain_ns = WallTimeOf(input, summary, wait_ns);
  finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
  return finding;
}

}  // namespace sparkprof
