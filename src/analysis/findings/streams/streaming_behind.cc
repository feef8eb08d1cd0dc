// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kFasterInput = 1.1;    // times the processing rate
constexpr double kLongerBatches = 1.2;  // times the duration, in the second half of the batches
// A few batches suffice if they are long and far behind.
constexpr double kFarFasterInput = 2;

// The batches with rows of one run, in two halves. If there are few, all are in the second half.
struct Pace {
  size_t batches = 0;
  double input_rate = 0;      // mean rows per second in the second half
  double processed_rate = 0;  // mean rows per second in the second half
  int64_t first_ns = 0;       // mean batch duration in the first half
  int64_t second_ns = 0;
  int64_t longest_ns = 0;
  const StreamingBatch* last = nullptr;
};

Pace PaceOf(const std::vector<const StreamingBatch*>& batches) {
  Pace pace;
  pace.batches = batches.size();
  pace.last = batches.empty() ? nullptr : batches.back();
  const size_t half = pace.batches < kManyBatches ? 0 : batches.size() / 2;
  for (size_t i = 0; i < batches.size(); ++i) {
    const StreamingBatch& batch = *batches[i];
    pace.longest_ns = std::max(pace.longest_ns, batch.duration_ns);
    if (i < half) {
      pace.first_ns += batch.duration_ns / static_cast<int64_t>(half);
      continue;
    }
    const auto count = static_cast<double>(batches.size() - half);
    pace.second_ns += batch.duration_ns / static_cast<int64_t>(batches.size() - half);
    pace.input_rate += batch.input_rows_per_second / count;
    pace.processed_rate += batch.processed_rows_per_second / count;
  }
  return pace;
}

// True if one partition of the source alone has more left than a long batch takes from all of them: a limit such as
// maxOffsetsPerTrigger makes rows arrive as fast as they are processed.
bool HasBacklog(const Pace& pace) {
  return pace.longest_ns >= kLongBatchNs && pace.last->offsets_behind > std::max<int64_t>(1, pace.last->input_rows);
}

bool IsBehind(const Pace& pace) {
  if (pace.processed_rate == 0) return false;
  if (pace.batches < kManyBatches)
    return pace.longest_ns >= kLongBatchNs && pace.input_rate >= kFarFasterInput * pace.processed_rate;
  return pace.input_rate >= kFasterInput * pace.processed_rate &&
         static_cast<double>(pace.second_ns) >= kLongerBatches * static_cast<double>(pace.first_ns);
}

}  // namespace

std::optional<Finding> FindStreamingBehind(const FindingInput& input) {
  const Application& application = input.application;
  Pace worst;
  const StreamingQuery* query = nullptr;
  std::vector<const StreamingBatch*> of_query;
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    const std::vector<const StreamingBatch*> batches = BatchesWithRows(application, static_cast<int32_t>(row));
    const Pace pace = PaceOf(batches);
    if (pace.batches == 0 || (!IsBehind(pace) && !HasBacklog(pace)) || pace.second_ns <= worst.second_ns) continue;
    worst = pace;
    of_query = batches;
    query = &application.streaming_queries[row];
  }
  if (query == nullptr) return std::nullopt;
  Finding finding;
  const std::string& name = NameOf(*query);
  const bool is_behind = IsBehind(worst);
  const bool is_of_few = worst.batches < kManyBatches;
  if (is_behind) {
    finding.title = fmt::format("Streaming query {}: rows arrive {:.1f} times as fast as they are processed", name,
                                worst.input_rate / std::max(worst.processed_rate, 1.0));
    finding.what = fmt::format("{:.0f} rows per second arrived and {:.0f} were processed{}", worst.input_rate,
                               worst.processed_rate, is_of_few ? "" : ", so that batches became longer");
  } else {
    finding.title = fmt::format("Streaming query {}: {} offsets of one partition wait after the last batch", name,
                                CountText(worst.last->offsets_behind));
    finding.what = fmt::format(
        "The last batch took {} rows of all partitions in {}, and left more than that in one of them: it processes "
        "{:.0f} rows per second. Whether the backlog grows shows in the next batches",
        CountText(worst.last->input_rows), FormatDuration(worst.last->duration_ns),
        worst.last->processed_rows_per_second);
  }
  finding.evidence =
      is_of_few ? fmt::format("{} with rows; the longest takes {}",
                              worst.batches == 1 ? "one batch" : fmt::format("{} batches", worst.batches),
                              FormatDuration(worst.longest_ns))
                : fmt::format("{} batches with rows: {} on average in the first half, {} in the second; the longest {}",
                              worst.batches, FormatDuration(worst.first_ns), FormatDuration(worst.second_ns),
                              FormatDuration(worst.longest_ns));
  if (const std::string phases = PhasesText(of_query); !phases.empty()) finding.evidence += "; " + phases;
  finding.condition = fmt::format(
      "In the second half of at least {} batches with rows, rows arrive at least {} times as fast as they are "
      "processed, "
      "and batches take at least {} times as long as in the first half; or in fewer batches, one of them of at least "
      "{}, "
      "at least {} times as fast; or a partition of the source has more left after the last batch than it took from "
      "all",
      kManyBatches, kFasterInput, kLongerBatches, FormatDuration(kLongBatchNs), kFarFasterInput);
  finding.selection.event = EventName(Event::kCpu);
  finding.frames = DriverLinesOf(application, of_query);
  if (!is_behind) {
    finding.change =
        "Shorten what takes most of a batch: its phases and the other findings of the query show it. Then add "
        "cores, and tasks that read (the option minPartitions). A higher maxOffsetsPerTrigger alone only makes batches "
        "longer";
    return finding;
  }
  // The factor by which batches would have to be shorter to keep up.
  const double needed = worst.processed_rate / std::max(worst.input_rate, 1.0);
  finding.claim = ClaimWall(static_cast<int64_t>(static_cast<double>(worst.second_ns) * (1 - needed)) *
                                static_cast<int64_t>(worst.batches - worst.batches / 2),
                            kMost);
  finding.change =
      "Use more cores, or fewer spark.sql.shuffle.partitions for small batches; limit the rows of a batch "
      "(maxOffsetsPerTrigger, maxFilesPerTrigger). The other findings show where the time of a batch goes";
  return finding;
}

}  // namespace sparkprof
