// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "analysis/time/batch_comparison.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kTimesTheMedian = 3;                  // times the median
constexpr int64_t kFarLongerNs = 2 * kNanosPerSecond;  // more than the median
constexpr double kManyMoreRows = 2;                    // times the median batch

double Times(int64_t slowest, int64_t median) {
  return static_cast<double>(slowest) / static_cast<double>(std::max<int64_t>(1, median));
}

bool IsSlow(const StreamingBatch& batch, const StreamingBatch& median) {
  return Times(batch.duration_ns, median.duration_ns) >= kTimesTheMedian &&
         batch.duration_ns - median.duration_ns >= kFarLongerNs;
}

// Batch time beyond that of as many rows in median batches. Splitting the rows does not save more.
int64_t LongerThanItsRows(const StreamingBatch& batch, const StreamingBatch& median) {
  const double as_median = std::max(1.0, Times(batch.input_rows, median.input_rows));
  const double of_rows_ns = as_median * static_cast<double>(median.duration_ns);
  return static_cast<int64_t>(std::max(0.0, static_cast<double>(batch.duration_ns) - of_rows_ns));
}

std::string ValueText(const BatchDifference& difference, int64_t value) {
  if (difference.unit == "ns") return FormatDuration(value);
  return difference.unit == "bytes" ? FormatBytes(value) : CountText(value);
}

std::string InsteadOf(const BatchDifference& difference) {
  const std::string slowest = ValueText(difference, difference.slowest);
  if (!difference.median) return slowest + ", which the median batch does not have";
  return fmt::format("{} instead of {}", slowest, ValueText(difference, *difference.median));
}

std::string EvidenceOf(const BatchComparison& comparison) {
  std::string evidence = fmt::format("{} and {} rows", CountText(comparison.slowest->input_rows),
                                     CountText(comparison.median->input_rows));
  if (const BatchDifference* phase = comparison.LargestPhase())
    evidence += fmt::format("; {} takes {}", phase->name, InsteadOf(*phase));
  if (const BatchDifference* stage = comparison.LargestStage())
    evidence += fmt::format("; stage {} ({}) takes {}", stage->stage, stage->stage_name, InsteadOf(*stage));
  if (const BatchDifference* cause = comparison.Cause())
    evidence += fmt::format("; {}: {}", cause->label, InsteadOf(*cause));
  return evidence;
}

std::string ChangeFor(const BatchComparison& comparison) {
  if (Times(comparison.slowest->input_rows, comparison.median->input_rows) >= kManyMoreRows)
    return "Limit the rows of a batch: maxOffsetsPerTrigger, maxFilesPerTrigger or maxBytesPerTrigger";
  const BatchDifference* const phase = comparison.LargestPhase();
  if (phase != nullptr &&
      (phase->name == "walCommit" || phase->name == "commitOffsets" || phase->name == "commitBatch"))
    return "Put the checkpoint on a file system with steady latency, or use asynchronous progress tracking";
  if (phase != nullptr && phase->name != "addBatch")
    return "Before their work, such batches list files or fetch offsets: see the finding stream-overhead and the "
           "source";
  return "`sparkprof show batches` compares both batches, metric by metric; the tasks of the stage show whether one of "
         "them, one host or all are slower";
}

}  // namespace

std::optional<Finding> FindSlowBatches(const FindingInput& input) {
  const Application& application = input.application;
  if (application.streaming_batches.size() <= kComparedBatches) return std::nullopt;
  const std::vector<BatchComparison> comparisons = CompareBatches(application);
  const BatchComparison* worst = nullptr;
  for (const BatchComparison& one : comparisons) {
    if (!IsSlow(*one.slowest, *one.median)) continue;
    if (worst == nullptr || one.slowest->duration_ns > worst->slowest->duration_ns) worst = &one;
  }
  if (worst == nullptr) return std::nullopt;
  const auto batches = BatchesWithRows(application, worst->slowest->query);
  int64_t slow = 0, excess_ns = 0, beyond_rows_ns = 0;
  for (const StreamingBatch* batch : batches) {
    if (batch == batches.front() || !IsSlow(*batch, *worst->median)) continue;
    ++slow;
    excess_ns += batch->duration_ns - worst->median->duration_ns;
    beyond_rows_ns += LongerThanItsRows(*batch, *worst->median);
  }
  Finding finding;
  finding.title =
      fmt::format("Streaming query {}: batch {} takes {:.1f} times as long as the median batch", NameOf(*worst->query),
                  worst->slowest->id, Times(worst->slowest->duration_ns, worst->median->duration_ns));
  finding.what = fmt::format(
      "{} of {} batches with rows take {} longer than the median; the slowest, {}, takes {}, "
      "the median batch, {}, {}",
      slow, worst->batches, FormatDuration(excess_ns), worst->slowest->id, FormatDuration(worst->slowest->duration_ns),
      worst->median->id, FormatDuration(worst->median->duration_ns));
  finding.evidence = EvidenceOf(*worst);
  finding.condition = fmt::format(
      "Of at least {} batches with rows behind the first one, one takes at least {} times as long as the median, and "
      "at least {} longer",
      kComparedBatches, kTimesTheMedian, FormatDuration(kFarLongerNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.from_ns = std::max<int64_t>(0, worst->slowest->start_ns - application.start_ns);
  finding.selection.to_ns = *finding.selection.from_ns + worst->slowest->duration_ns;
  finding.change = ChangeFor(*worst);
  finding.claim = ClaimWall(beyond_rows_ns, IsAlwaysBusy(batches) ? kHalf : kNothing);
  return finding;
}

}  // namespace sparkprof
