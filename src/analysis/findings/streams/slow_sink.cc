// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "analysis/findings/log_values.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "analysis/time/job_time.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

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

}  // namespace

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
      "In at least {} batches with rows, or one of at least {}, no job runs for at least {} of the batches' time "
      "and at least {}, while addBatch lasts",
      kSeveralBatches, FormatDuration(kLongBatchNs), FormatShare(kMuchInDriver), FormatDuration(kInDriverNs));
  finding.selection.event = EventName(Event::kWall);
  finding.selection.executor = "driver";
  finding.change =
      "Write the rows in tasks (foreachPartition() in the function of foreachBatch(), or a sink of Spark), and many of "
      "them at once: in one transaction or request for each partition";
  finding.claim = ClaimWall(worst.driver_ns, IsAlwaysBusy(worst.batches) ? kMost : kNothing);
  return finding;
}

}  // namespace sparkprof
