// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kTriggerJitterNs = 50 * kNanosPerMilli;
constexpr size_t kManyPauses = 3;

// Pauses of a stream between batches with rows.
struct TriggerPauses {
  int64_t interval_ns = 0;  // between the last two starts
  int64_t time_ns = 0;      // sum of the pauses
  size_t count = 0;
};

// Pauses between batches are waits for a processing-time trigger if there are rows. Batches of equal size show that the
// source had rows all the time, and that a limit (maxFilesPerTrigger) splits them.
TriggerPauses PausesOf(const std::vector<const StreamingBatch*>& batches) {
  TriggerPauses pauses;
  for (size_t i = 1; i < batches.size(); ++i) {
    const StreamingBatch &before = *batches[i - 1], &batch = *batches[i];
    const bool is_last = i + 1 == batches.size();  // has the remaining rows
    if (!is_last && !AreAlike(before.input_rows, batch.input_rows)) return {};
    const int64_t pause_ns = batch.start_ns - before.start_ns - before.duration_ns;
    if (pause_ns < kTriggerJitterNs) continue;
    pauses.interval_ns = batch.start_ns - before.start_ns;
    pauses.time_ns += pause_ns;
    ++pauses.count;
  }
  return pauses;
}

}  // namespace

std::optional<Finding> FindTriggerWaits(const FindingInput& input) {
  const Application& application = input.application;
  const StreamingQuery* query = nullptr;
  TriggerPauses worst;
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    const StreamingQuery& one = application.streaming_queries[row];
    const auto batches = BatchesWithRows(application, static_cast<int32_t>(row));
    // All files may exist already. A stream that has not ended waits for new ones.
    if (batches.size() < kManyBatches || one.end_ns == 0 || !one.source.starts_with("FileStreamSource")) continue;
    const TriggerPauses pauses = PausesOf(batches);
    if (pauses.count < kManyPauses || pauses.time_ns <= worst.time_ns) continue;
    worst = pauses;
    query = &one;
  }
  if (query == nullptr || Share(worst.time_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Streaming query {} waits for its trigger for {} of the time", NameOf(*query),
                              FormatShare(Share(worst.time_ns, input.duration_ns)));
  finding.what = fmt::format("Between batches of as many rows each, the query waited {} times, for {} in total",
                             worst.count, FormatDuration(worst.time_ns));
  finding.evidence = fmt::format("a batch starts every {}, although the source has rows for the next one",
                                 FormatDuration(worst.interval_ns));
  finding.condition = fmt::format(
      "A stream of files that ended had at least {} batches with about as many rows, and pauses between them take at "
      "least {} of the duration",
      kManyBatches, FormatShare(kNoticeable));
  finding.selection.event = EventName(Event::kCpu);
  finding.change =
      "If all files are there when it starts, as for a backfill: trigger(availableNow=True), which runs the batches "
      "without a pause, or more files in each (maxFilesPerTrigger). Nothing, if they arrive at that pace";
  finding.claim = ClaimWall(worst.time_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
