// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/rules.h"
#include "analysis/findings/stream_pace.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr double kMuchOverhead = 0.4;                 // of the batches' time
constexpr int64_t kOverheadNs = 2 * kNanosPerSecond;  // of all batches
constexpr double kAlwaysBusyStream = 0.8;  // of the time: a query that waits for its trigger does not end sooner

struct StreamPhase {
  std::string_view name;
  std::string_view what;
  const char* change;
};
// All phases of a batch but addBatch, which is the query's own work.
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

}  // namespace

std::optional<Finding> FindStreamOverhead(const FindingInput& input) {
  const Application& application = input.application;
  const StreamPhase* longest = nullptr;
  const StreamingQuery* query = nullptr;
  std::vector<const StreamingBatch*> batches;
  int64_t most_ns = 0, longest_ns = 0, total_ns = 0;
  for (size_t row = 0; row < application.streaming_queries.size(); ++row) {
    const auto of_query = BatchesWithRows(application, static_cast<int32_t>(row));
    if (of_query.size() < kManyBatches) continue;
    int64_t overhead_ns = 0, phase_ns = 0, duration_ns = 0;
    const StreamPhase* worst = nullptr;
    for (const StreamingBatch* batch : of_query) duration_ns += batch->duration_ns;
    for (const StreamPhase& phase : kStreamPhases) {
      const int64_t time_ns = PhaseOf(of_query, phase.name);
      overhead_ns += time_ns;
      if (time_ns > phase_ns) phase_ns = time_ns, worst = &phase;
    }
    if (overhead_ns <= most_ns || Share(overhead_ns, duration_ns) < kMuchOverhead) continue;
    most_ns = overhead_ns, longest_ns = phase_ns, total_ns = duration_ns, longest = worst;
    query = &application.streaming_queries[row];
    batches = of_query;
  }
  if (query == nullptr || most_ns < kOverheadNs) return std::nullopt;
  Finding finding;
  finding.title = fmt::format("Streaming query {}: {} takes {} of the batches' time", NameOf(*query), longest->what,
                              FormatShare(Share(longest_ns, total_ns)));
  finding.confidence = 0.8;
  finding.what = fmt::format("Before and after its work, a batch finds data, plans and commits for {} of {}",
                             FormatDuration(most_ns), FormatDuration(total_ns));
  finding.evidence = fmt::format("{} batches with rows; {}", batches.size(), PhasesText(batches));
  finding.condition = fmt::format(
      "All phases but addBatch take at least {} of the time of at least {} batches with rows, and at least {}",
      FormatShare(kMuchOverhead), kManyBatches, FormatDuration(kOverheadNs));
  finding.selection.event = EventName(Event::kCpu);
  finding.selection.executor = "driver";
  finding.change = longest->change;
  // A batch that ends earlier only waits longer for its trigger.
  finding.gain_ns = BusyShare(batches) >= kAlwaysBusyStream ? longest_ns / 2 : 0;
  finding.most_ns = longest_ns;
  finding.gain_low = 0.3;
  finding.gain_high = 1.6;
  return finding;
}

}  // namespace sparkprof
