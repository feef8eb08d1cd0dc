// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "analysis/time/batch_comparison.h"
#include "analysis/time/timeline.h"

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

constexpr double kMuchInDriver = 0.5;                 // share of the batches' time
constexpr int64_t kInDriverNs = 2 * kNanosPerSecond;  // sum of all batches
constexpr size_t kSeveralBatches = 2;

// The part of a batch's addBatch phase without a running job: a function of foreachBatch() works in the driver. Text
// logs may have whole seconds, so all jobs up to a second later count.
int64_t DriverTimeOf(const JobTimes& jobs, bool has_only_logs, const StreamingBatch& batch) {
  const int64_t inexact_ns = has_only_logs ? kNanosPerSecond : 0;
  const int64_t add_ns = PhaseOf({&batch}, "addBatch");
  return std::max<int64_t>(
      0, add_ns - jobs.Between(batch.start_ns - inexact_ns, batch.start_ns + batch.duration_ns + inexact_ns));
}

struct Sink {
  const StreamingQuery* query = nullptr;
  std::vector<const StreamingBatch*> batches;
  int64_t driver_ns = 0;
  int64_t batches_ns = 0;
};

constexpr double kMuchOverhead = 0.4;                 // share of the batches' time
constexpr int64_t kOverheadNs = 2 * kNanosPerSecond;  // sum of all batches

struct StreamPhase {
  std::string_view name;
  std::string_view what;
  const char* change;
};
// All phases of a batch except addBatch, which is the query's own work and the commit of its state.
constexpr StreamPhase kStreamPhases[] = {
    {"latestOffset", "finding new data",
     "For files: move or delete those that were read (cleanSource), limit maxFileAge, or use Auto Loader or a table "
     "format. For Kafka: fewer topics and partitions for each query"},
    {"getOffset", "finding new data",
     "For files: move or delete those that were read (cleanSource), or limit maxFileAge"},
    {"getBatch", "preparing the batch", "Read fewer files or partitions in a batch (maxFilesPerTrigger)"},
    {"queryPlanning", "planning the query", "Use fewer columns, unions and joins in the query, or longer triggers"},
    {"walCommit", "writing offsets to the checkpoint",
     "Put the checkpoint on a faster file system than an object store, use longer triggers, or asynchronous progress "
     "tracking"},
    {"commitOffsets", "writing commits to the checkpoint",
     "Put the checkpoint on a faster file system than an object store, use longer triggers, or asynchronous progress "
     "tracking"}};

using StreamBatches = std::vector<const StreamingBatch*>;

struct StreamCost {
  const StreamingQuery* query = nullptr;
  StreamBatches batches;
  int64_t all_ns = 0;
  const StreamPhase* longest = nullptr;
  int64_t longest_ns = 0;
  int64_t duration_ns = 0;  // duration of the batches

  // True if fewer batches with more rows each would help, rather than a faster phase.
  bool IsSpread() const { return 2 * longest_ns < all_ns; }
};

StreamCost StreamCostOf(const StreamingQuery& query, StreamBatches batches) {
  // The first batch compiles and loads classes.
  if (batches.size() > kManyBatches) batches.erase(batches.begin());
  StreamCost cost{&query, std::move(batches)};
  const auto add = [&](const StreamPhase& phase, int64_t time_ns) {
    cost.all_ns += time_ns;
    if (time_ns > cost.longest_ns) cost.longest_ns = time_ns, cost.longest = &phase;
  };
  for (const StreamPhase& phase : kStreamPhases) add(phase, PhaseOf(cost.batches, phase.name));
  for (const StreamingBatch* batch : cost.batches) cost.duration_ns += batch->duration_ns;
  return cost;
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
      "{} of {} batches with rows take {} longer than the median; the slowest, {}, takes {}, the median batch, {}, {}",
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

std::optional<Finding> FindSlowSinks(const FindingInput& input) {
  const Application& application = input.application;
  if (application.jobs.empty()) return std::nullopt;
  const bool has_only_logs = HasOnlyLogs(application);
  const JobTimes jobs(application);
  Sink worst;
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    Sink sink{&application.streaming_queries[row], BatchesWithRows(application, static_cast<int32_t>(row))};
    if (sink.batches.empty()) continue;
    if (sink.batches.size() < kSeveralBatches && sink.batches.front()->duration_ns < kLongBatchNs) continue;
    for (const StreamingBatch* batch : sink.batches) {
      sink.driver_ns += DriverTimeOf(jobs, has_only_logs, *batch);
      sink.batches_ns += batch->duration_ns;
    }
    if (sink.driver_ns > worst.driver_ns && Share(sink.driver_ns, sink.batches_ns) >= kMuchInDriver)
      worst = std::move(sink);
  }
  if (worst.driver_ns < kInDriverNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Streaming query {}: its sink works in the driver for {} of the batches' time",
                              NameOf(*worst.query), FormatShare(Share(worst.driver_ns, worst.batches_ns)));
  finding.what = fmt::format("In {} with rows, no job runs for {} of {} while the sink writes a batch",
                             worst.batches.size() == 1 ? "one batch" : fmt::format("{} batches", worst.batches.size()),
                             FormatDuration(worst.driver_ns), FormatDuration(worst.batches_ns));
  finding.evidence = "phases: " + PhasesText(worst.batches);
  finding.frames = DriverLinesOf(application, worst.batches);
  if (!finding.frames.empty()) finding.evidence += fmt::format("; the driver runs {}", finding.frames.front());
  finding.condition = fmt::format(
      "In at least {} batches with rows, or one of at least {}, no job runs for at least {} of the batches' time and "
      "at least {}, while addBatch lasts",
      kSeveralBatches, FormatDuration(kLongBatchNs), FormatShare(kMuchInDriver), FormatDuration(kInDriverNs));
  finding.selection.event = EventName(Event::kWall);
  finding.selection.executor = "driver";
  finding.change =
      "Write the rows in tasks (foreachPartition() in the function of foreachBatch(), or a sink of Spark), and many of "
      "them at once: in one transaction or request for each partition";
  finding.claim = ClaimWall(worst.driver_ns, IsAlwaysBusy(worst.batches) ? kMost : kNothing);
  return finding;
}

std::optional<Finding> FindStreamOverhead(const FindingInput& input) {
  const Application& application = input.application;
  StreamCost worst;
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    StreamBatches batches = BatchesWithRows(application, static_cast<int32_t>(row));
    if (batches.size() < kManyBatches) continue;
    StreamCost cost = StreamCostOf(application.streaming_queries[row], std::move(batches));
    if (cost.all_ns > worst.all_ns && Share(cost.all_ns, cost.duration_ns) >= kMuchOverhead) worst = std::move(cost);
  }
  if (worst.query == nullptr || worst.all_ns < kOverheadNs) return std::nullopt;
  Finding finding;
  const std::string name = NameOf(*worst.query);
  const bool is_spread = worst.IsSpread();
  finding.title = is_spread ? fmt::format("Streaming query {}: the fixed cost of batches takes {} of their time", name,
                                          FormatShare(Share(worst.all_ns, worst.duration_ns)))
                            : fmt::format("Streaming query {}: {} takes {} of the batches' time", name,
                                          worst.longest->what, FormatShare(Share(worst.longest_ns, worst.duration_ns)));
  int64_t rows = 0;
  for (const StreamingBatch* batch : worst.batches) rows += batch->input_rows;
  const auto count = static_cast<int64_t>(worst.batches.size());
  finding.what = fmt::format("Before and after its work, a batch finds data, plans and commits for {} of {}",
                             FormatDuration(worst.all_ns), FormatDuration(worst.duration_ns));
  if (is_spread) finding.what += fmt::format("; a batch has {} rows on average", CountText(rows / count));
  finding.evidence = fmt::format("{} batches with rows; {}", count, PhasesText(worst.batches));
  finding.condition = fmt::format(
      "All phases but addBatch take at least {} of the time of at least {} batches with rows, and at least {}; without "
      "the first of more batches",
      FormatShare(kMuchOverhead), kManyBatches, FormatDuration(kOverheadNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change = is_spread ? "Process more rows in a batch: a larger maxFilesPerTrigger or maxOffsetsPerTrigger, or "
                               "a longer interval of the trigger"
                             : worst.longest->change;
  // Each batch takes at least as long as the shortest one, whatever its rows: addBatch has fixed costs, too.
  int64_t shortest_ns = worst.duration_ns;
  for (const StreamingBatch* batch : worst.batches) shortest_ns = std::min(shortest_ns, batch->duration_ns);
  const int64_t saved_ns = is_spread ? std::max(worst.all_ns, count * shortest_ns) : worst.longest_ns;
  // A batch that ends earlier only waits longer for its trigger.
  finding.claim = ClaimWall(saved_ns, IsAlwaysBusy(worst.batches) ? kHalf : kNothing);
  return finding;
}

}  // namespace sparkprof
