// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/stack_kinds.h"
#include "base/text/text.h"
#include "profiles/frame_origin.h"

namespace sparkprof {
namespace {

// True if code outside Spark and the JDK waits: the innermost function, above the leaf, which is the class of the lock.
bool IsOutsideSpark(const Profile& profile, StackId stack) {
  for (stack = profile.stacks.Get(stack).parent; stack != 0; stack = profile.stacks.Get(stack).parent) {
    const Frame& frame = profile.frames.Get(profile.stacks.Get(stack).frame);
    const FrameOrigin origin = OriginOf(profile.strings.Get(frame.name), profile.strings.Get(frame.file), frame.kind);
    if (frame.kind == FrameKind::kNative || frame.kind == FrameKind::kKernel || origin == FrameOrigin::kJdk) continue;
    return origin == FrameOrigin::kUser || origin == FrameOrigin::kLibrary;
  }
  return false;
}

struct LockWaits {
  int64_t total_ns = 0;
  std::vector<WaitPlace> places;  // longest waits first
};

// Places outside Spark where the stage's tasks wait for locks.
LockWaits WaitsForLocks(const Application& application, const StageSummary& summary) {
  LockWaits waits;
  std::map<StackId, int64_t> by_stack;
  for (const uint32_t row : summary.lock_samples) {
    const Sample& sample = application.profile.samples[row];
    if (!IsOutsideSpark(application.profile, sample.stack)) continue;
    // Uses the waiting method, not the class of the lock.
    by_stack[application.profile.stacks.Get(sample.stack).parent] += sample.weight;
    waits.total_ns += sample.weight;
  }
  waits.places = PlacesOf(application, by_stack);
  return waits;
}

}  // namespace

std::optional<Finding> FindLockWaits(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const int64_t duration_ns = summary.Total(TaskMetric::kDuration);
  if (summary.lock_ns < kWorthwhileNs) return std::nullopt;
  const LockWaits waits = WaitsForLocks(input.application, summary);
  const double share = Share(waits.total_ns, duration_ns);
  if (waits.total_ns < kWorthwhileNs || share < kMuchOfTime) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Stage {}: waiting for locks takes {} of task time", stage.id, FormatShare(share));
  finding.what = fmt::format("Tasks of {} waited {} for locks that other threads held", StageText(input, stage),
                             FormatDuration(waits.total_ns));
  finding.evidence = fmt::format("{} of {} task time", FormatDuration(waits.total_ns), FormatDuration(duration_ns));
  if (!waits.places.empty()) {
    finding.evidence += fmt::format("; {} in {}", FormatShare(Share(waits.places.front().weight_ns, waits.total_ns)),
                                    waits.places.front().text);
    finding.frames = {waits.places.front().text};
  }
  finding.condition =
      fmt::format("Code outside Spark waits for locks for at least {} of a stage's task time and at least {}",
                  FormatShare(kMuchOfTime), FormatDuration(kWorthwhileNs));
  finding.selection = SelectStage(stage, Event::kLock);
  finding.change =
      "Hold the lock for less time, or give each task an object of its own: no shared singletons with synchronized "
      "methods";
  if (!IsLocal(input.application))
    finding.change += ". Until then, use one core per executor (spark.executor.cores=1) and more executors";
  finding.claim = ClaimTasks(input, summary, waits.total_ns, kWhole, AccountPart::kLock);
  return finding;
}

}  // namespace sparkprof
