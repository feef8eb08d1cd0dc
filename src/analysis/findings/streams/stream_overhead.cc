// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

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
      "All phases but addBatch take at least {} of the time of at least {} batches with "
      "rows, "
      "and at least {}; without the first of more batches",
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
