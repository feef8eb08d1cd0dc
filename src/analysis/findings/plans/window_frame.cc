// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/scheduling/stage_tasks.h"

namespace sparkprof {
namespace {

constexpr int64_t kLongCpuNs = 2 * kNanosPerSecond;  // per stage, without samples
constexpr int64_t kLongForARow = 20'000;  // ns of the stage's CPU time per row, without samples; sorting takes 1,000
constexpr uint64_t kWideFrame = 100;      // rows; summing fewer costs about as much as sorting them

// How Spark computes a frame: as a running value, or from all rows of the frame for each row.
struct FrameWork {
  bool to_end = false;   // from near the row to the end of its partition
  bool is_wide = false;  // around the row, with a fixed width
};

// "… specifiedwindowframe(RowFrame, currentrow$(), unboundedfollowing$()) …"
FrameWork WorkOfFrames(std::string_view text) {
  static const re2::RE2 pattern(R"(specifiedwindowframe\((Row|Range)Frame, ([^,()]+(?:\(\))?), ([^,()]+(?:\(\))?)\))");
  FrameWork work;
  re2::StringPiece rest(text);
  std::string kind, lower, upper;
  while (re2::RE2::FindAndConsume(&rest, pattern, &kind, &lower, &upper)) {
    if (lower.starts_with("unboundedpreceding")) continue;
    if (upper.starts_with("unboundedfollowing")) {
      work.to_end = true;
      continue;
    }
    // The bounds of a range are values, which any number of rows may have.
    int64_t from = 0, to = 0;
    const bool is_counted = kind == "Row" &&
                            (lower.starts_with("currentrow") || re2::RE2::FullMatch(lower, "(-?\\d+)", &from)) &&
                            (upper.starts_with("currentrow") || re2::RE2::FullMatch(upper, "(-?\\d+)", &to));
    // The bounds are untrusted: their difference may overflow.
    work.is_wide |=
        !is_counted || (to >= from && static_cast<uint64_t>(to) - static_cast<uint64_t>(from) >= kWideFrame);
  }
  return work;
}

// CPU samples of a stage in frames that are recomputed for each row.
struct SampledFrames {
  int64_t to_end_ns = 0;
  int64_t sliding_ns = 0;

  int64_t All() const { return to_end_ns + sliding_ns; }
};

SampledFrames FramesInSamples(const Application& application, const StageSummary& summary) {
  const Profile& profile = application.profile;
  SampledFrames frames;
  for (const auto& [leaf, weight] : CpuOfStacks(application, summary)) {
    for (StackId stack = leaf; stack != 0; stack = profile.stacks.Get(stack).parent) {
      const std::string_view name = profile.strings.Get(profile.frames.Get(profile.stacks.Get(stack).frame).name);
      const bool to_end = name.ends_with(".UnboundedFollowingWindowFunctionFrame.write");
      if (!to_end && !name.ends_with(".SlidingWindowFunctionFrame.write")) continue;
      (to_end ? frames.to_end_ns : frames.sliding_ns) += weight;
      break;
    }
  }
  return frames;
}

struct PlannedFrames {
  FrameWork work;
  int64_t rows = 0;  // returned by the operator
};

// The stage's window with the most rows whose frames are recomputed for each row.
PlannedFrames FramesInPlan(const Application& application, const Stage& stage) {
  PlannedFrames most;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (one.kind != "Window" || one.rows_in.value_or(0) <= most.rows) continue;
    const FrameWork work = WorkOfFrames(one.plan->text);
    if (work.to_end || work.is_wide) most = {work, *one.rows_in};
  }
  return most;
}

}  // namespace

std::optional<Finding> FindWindowFrames(const FindingInput& input, const Stage& stage, const StageSummary& summary) {
  const SampledFrames sampled = FramesInSamples(input.application, summary);
  const int64_t cpu_ns = summary.Total(TaskMetric::kExecutorCpuTime);
  const bool has_samples = summary.cpu_samples_ns > 0;
  const double share = Share(sampled.All(), summary.cpu_samples_ns);
  if (has_samples && (sampled.All() < kWorthwhileNs || share < kMostOfCode)) return std::nullopt;
  const PlannedFrames planned = FramesInPlan(input.application, stage);
  if (!has_samples && (cpu_ns < kLongCpuNs || planned.rows == 0 || cpu_ns / planned.rows < kLongForARow))
    return std::nullopt;
  const bool to_end = has_samples ? sampled.to_end_ns >= sampled.sliding_ns : planned.work.to_end;
  Finding finding;
  finding.title = has_samples
                      ? fmt::format("Stage {}: a window computes its frame again for each row, in {} of CPU time",
                                    stage.id, FormatShare(share))
                      : fmt::format("Stage {}: a window computes its frame again for each row", stage.id);
  finding.what = fmt::format("For each row of {}, a window function reads {} again", StageText(input, stage),
                             to_end ? "all rows from there to the end of its partition" : "the rows of its frame");
  finding.evidence = has_samples ? fmt::format("{} of {} of cpu samples", FormatDuration(sampled.All()),
                                               FormatDuration(summary.cpu_samples_ns))
                                 : fmt::format("{} of CPU time for {} rows: {} for each", FormatDuration(cpu_ns),
                                               CountText(planned.rows), FormatDuration(cpu_ns / planned.rows));
  finding.condition = fmt::format(
      "Computing window frames that do not begin at the first row of the partition takes at least {} of a stage's CPU "
      "samples; without samples, its plan has one to the last row or of at least {} rows, and its tasks use {} of CPU "
      "time for each row",
      FormatShare(kMostOfCode), kWideFrame, FormatDuration(kLongForARow));
  finding.selection = SelectStage(stage, Event::kCpu);
  if (has_samples) finding.selection.search = "(UnboundedFollowing|Sliding)WindowFunctionFrame\\.write";
  finding.change = to_end
                       ? "Reverse the order and use ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW, for which Spark "
                         "keeps a running value; or subtract a running sum from the total of the partition"
                       : "Use a shorter frame, the difference of two running sums, or aggregate to coarser rows before";
  const int64_t frames_ns = has_samples ? TimeOfCpuSamples(summary, sampled.All()) : cpu_ns;
  finding.claim = ClaimTasks(input, summary, frames_ns, has_samples ? kMost : kHalf, AccountPart::kCpu);
  return finding;
}

}  // namespace sparkprof
