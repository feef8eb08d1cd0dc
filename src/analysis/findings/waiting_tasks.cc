// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr double kMuchWaiting = 0.5;  // of the run time
constexpr size_t kFramesShown = 3;

// The Java functions nearest to the leaves where the stage's tasks sleep, Python waits left out, by weight.
std::vector<std::string> WhereTasksSleep(const FindingInput& input, const Selection& selection) {
  const Application& application = input.application;
  auto rows = SelectSamples(application, selection);
  if (!rows) return {};
  std::erase_if(*rows, [&](uint32_t row) {
    const Sample& sample = application.samples[row];
    return sample.state == ThreadState::kRunning || input.kinds[sample.stack] == StackKind::kPythonWait;
  });
  int64_t total = 0;
  std::vector<std::pair<int64_t, FrameId>> by_frame;
  std::vector<int64_t> weights(application.frames.Size());
  for (const uint32_t row : *rows) {
    const Sample& sample = application.samples[row];
    StackId stack = sample.stack;
    const auto kind = [&] { return application.frames.Get(application.stacks.Get(stack).frame).kind; };
    while (stack != 0 && (kind() == FrameKind::kKernel || kind() == FrameKind::kNative)) stack = application.stacks.Get(stack).parent;
    weights[application.stacks.Get(stack).frame] += sample.weight;
    total += sample.weight;
  }
  for (FrameId frame = 1; frame < weights.size(); ++frame) {
    if (weights[frame] > 0) by_frame.emplace_back(weights[frame], frame);
  }
  std::sort(by_frame.rbegin(), by_frame.rend());
  std::vector<std::string> texts;
  for (const auto& [weight, frame] : by_frame) {
    if (texts.size() == kFramesShown || Share(weight, total) < 0.1) break;
    texts.push_back(fmt::format("{} {}", application.strings.Get(application.frames.Get(frame).name), FormatShare(Share(weight, total))));
  }
  return texts;
}

}  // namespace

void FindWaitingTasks(const FindingInput& input, std::vector<Finding>* findings) {
  for (size_t row = 0; row < input.stages.size(); ++row) {
    const StageSummary& summary = input.stages[row];
    const Stage& stage = input.application.stages[row];
    const int64_t run_ns = summary.Total(TaskMetric::kExecutorRunTime);
    // The wait for Python is another rule's; wall samples say how large it is.
    const int64_t python_ns =
        static_cast<int64_t>(static_cast<double>(run_ns) * Share(summary.python_wait_ns, summary.wall_samples_ns));
    const int64_t wait_ns = run_ns - summary.Total(TaskMetric::kExecutorCpuTime) - summary.Total(TaskMetric::kGcTime) -
                            summary.Total(TaskMetric::kShuffleFetchWait) - python_ns;
    if (wait_ns < kWorthwhileNs || Share(wait_ns, run_ns) < kMuchWaiting) continue;
    Finding finding;
    finding.id = StageFindingId("waiting", stage);
    finding.title = "Tasks sleep or wait instead of computing";
    finding.what = fmt::format("Tasks of {} waited for {} of their run time of {}", StageText(stage),
                               FormatShare(Share(wait_ns, run_ns)), FormatDuration(run_ns));
    finding.evidence = fmt::format("CPU time {}", FormatDuration(summary.Total(TaskMetric::kExecutorCpuTime)));
    finding.selection = SelectStage(stage, Event::kWall);
    const std::vector<std::string> where = WhereTasksSleep(input, finding.selection);
    finding.confidence = where.empty() ? 0.6 : 0.85;
    if (!where.empty()) finding.evidence += fmt::format("; they wait in {}", fmt::join(where, ", "));
    finding.change = summary.wall_samples_ns == 0
                         ? "Record again with `--events cpu,wall`: the wall-clock flame graph shows where tasks wait"
                         : "The wall-clock flame graph of the stage shows who waits and for what: remove the sleep, ask the remote "
                           "service for many records at once, or have more tasks in flight";
    finding.gain_ns = WallTimeOf(input, summary, wait_ns);
    finding.severity = SeverityOf(finding.gain_ns, input.duration_ns);
    findings->push_back(std::move(finding));
  }
}

}  // namespace sparkprof
