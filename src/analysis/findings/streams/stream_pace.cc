// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/streams/stream_pace.h"

#include "analysis/findings/rules.h"
#include "analysis/python/driver_lines.h"

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

constexpr int64_t kTriggerJitterNs = 50 * kNanosPerMilli;
constexpr size_t kManyPauses = 3;

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

std::vector<const StreamingBatch*> BatchesWithRows(const Application& application, int32_t query) {
  std::vector<const StreamingBatch*> batches;
  for (const StreamingBatch& batch : application.streaming_batches) {
    if (batch.query == query && batch.input_rows > 0) batches.push_back(&batch);
  }
  return batches;
}

BatchTimes::BatchTimes(const Application& application) {
  for (const StreamingBatch& batch : application.streaming_batches) {
    by_start_.push_back(&batch);
    longest_ns_ = std::max(longest_ns_, batch.duration_ns);
  }
  std::ranges::stable_sort(by_start_, {}, &StreamingBatch::start_ns);
}

const StreamingBatch* BatchTimes::At(int64_t time_ns) const {
  auto behind = std::upper_bound(by_start_.begin(), by_start_.end(), time_ns,
                                 [](int64_t time, const StreamingBatch* batch) { return time < batch->start_ns; });
  const StreamingBatch* first = nullptr;
  for (; behind != by_start_.begin() && time_ns - (*(behind - 1))->start_ns < longest_ns_; --behind) {
    const StreamingBatch* const batch = *(behind - 1);
    // All are rows of one table, so pointers order them.
    if (time_ns < batch->start_ns + batch->duration_ns && (first == nullptr || batch < first)) first = batch;
  }
  return first;
}

bool IsAlwaysBusy(const std::vector<const StreamingBatch*>& batches) {
  constexpr double kAlwaysBusy = 0.8;  // share of time
  if (batches.empty()) return false;
  int64_t busy_ns = 0;
  for (const StreamingBatch* batch : batches) busy_ns += batch->duration_ns;
  const int64_t span_ns = batches.back()->start_ns + batches.back()->duration_ns - batches.front()->start_ns;
  return Share(busy_ns, span_ns) >= kAlwaysBusy;
}

bool HasBusyStream(const Application& application) {
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    if (IsAlwaysBusy(BatchesWithRows(application, static_cast<int32_t>(row)))) return true;
  }
  return false;
}

std::vector<int64_t> StagesOfBatches(const Application& application) {
  const BatchTimes batches(application);
  std::vector<int64_t> stages;
  for (const Stage& stage : application.stages) {
    if (batches.At(stage.submit_ns) != nullptr) stages.push_back(stage.id);
  }
  return stages;
}

int64_t PhaseOf(const std::vector<const StreamingBatch*>& batches, std::string_view phase) {
  int64_t time_ns = 0;
  for (const StreamingBatch* batch : batches) {
    for (const auto& [name, duration_ns] : batch->phases_ns) {
      if (name == phase) time_ns += duration_ns;
    }
  }
  return time_ns;
}

std::string PhasesText(const std::vector<const StreamingBatch*>& batches) {
  std::map<std::string, int64_t> phases;
  int64_t total_ns = 0;
  for (const StreamingBatch* batch : batches) {
    total_ns += batch->duration_ns;
    for (const auto& [name, duration_ns] : batch->phases_ns) {
      if (name != "triggerExecution") phases[name] += duration_ns;
    }
  }
  std::vector<std::pair<int64_t, std::string>> sorted;
  for (const auto& [name, time_ns] : phases) sorted.emplace_back(time_ns, name);
  std::sort(sorted.rbegin(), sorted.rend());
  if (sorted.empty()) return {};
  std::string text =
      fmt::format("{} takes {} of a batch", sorted[0].second, FormatShare(Share(sorted[0].first, total_ns)));
  if (sorted.size() > 1)
    text += fmt::format(", {} {}", sorted[1].second, FormatShare(Share(sorted[1].first, total_ns)));
  return text;
}

std::vector<std::string> DriverLinesOf(const Application& application,
                                       const std::vector<const StreamingBatch*>& batches) {
  return DriverLines(application, [&](int64_t time_ns) {
    return std::ranges::any_of(batches, [time_ns](const StreamingBatch* batch) {
      return time_ns >= batch->start_ns && time_ns < batch->start_ns + batch->duration_ns;
    });
  });
}

std::string NameOf(const StreamingQuery& query) {
  constexpr size_t kEnoughOfId = 8;  // a UUID is not a readable name
  return query.name.empty() ? query.run_id.substr(0, kEnoughOfId) : query.name;
}

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
      "processed, and batches take at least {} times as long as in the first half; or in fewer batches, one of them of "
      "at least {}, at least {} times as fast; or a partition of the source has more left after the last batch than it "
      "took from all",
      kManyBatches, kFasterInput, kLongerBatches, FormatDuration(kLongBatchNs), kFarFasterInput);
  finding.selection.event = EventName(Event::kCpu);
  finding.frames = DriverLinesOf(application, of_query);
  if (!is_behind) {
    finding.change =
        "Shorten what takes most of a batch: its phases and the other findings of the query show it. Then add cores, "
        "and tasks that read (the option minPartitions). A higher maxOffsetsPerTrigger alone only makes batches longer";
    return finding;
  }
  // The factor by which batches would have to be shorter to keep up.
  const double needed = worst.processed_rate / std::max(worst.input_rate, 1.0);
  finding.claim =
      ClaimWall(Scaled(worst.second_ns, 1 - needed) * static_cast<int64_t>(worst.batches - worst.batches / 2), kMost);
  finding.change =
      "Use more cores, or fewer spark.sql.shuffle.partitions for small batches; limit the rows of a batch "
      "(maxOffsetsPerTrigger, maxFilesPerTrigger). The other findings show where the time of a batch goes";
  return finding;
}

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
