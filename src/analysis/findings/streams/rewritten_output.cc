// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "analysis/findings/streams/stream_pace.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kManyWrites = 5;
constexpr int64_t kOutputTimesLarger = 2;  // last output compared with the first

// A query of a batch that writes files.
struct BatchWrite {
  int64_t rows = 0;
  int64_t input_rows = 0;  // rows of the batch, repeated for each query that reads them
  std::set<int64_t> stages;
};

// By row of the streaming query, in order of time.
std::map<int32_t, std::vector<BatchWrite>> WritesOfBatches(const Application& application) {
  const BatchTimes batches(application);
  std::map<int32_t, std::vector<BatchWrite>> writes;
  for (const SqlExecution& sql : application.sql_executions) {
    const StreamingBatch* const batch = batches.At(sql.start_ns);
    if (batch == nullptr || batch->input_rows == 0) continue;
    BatchWrite write{.input_rows = batch->input_rows};
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      write.stages.insert(one.stages.begin(), one.stages.end());
      if (IsWrite(one.kind)) write.rows = std::max(write.rows, ValueOf(*one.plan, "number of output rows").value_or(0));
    }
    if (write.rows > 0) writes[batch->query].push_back(std::move(write));
  }
  return writes;
}

// True if the output grows with each batch but the input does not: it repeats what earlier batches wrote.
bool WritesAllAgain(const std::vector<BatchWrite>& writes) {
  for (size_t i = 1; i < writes.size(); ++i) {
    if (writes[i].rows <= writes[i - 1].rows) return false;
  }
  const BatchWrite &first = writes.front(), &last = writes.back();
  return writes.size() >= kManyWrites && last.rows >= kOutputTimesLarger * first.rows &&
         last.input_rows < kOutputTimesLarger * first.input_rows;
}

}  // namespace

std::optional<Finding> FindRewrittenOutput(const FindingInput& input) {
  if (input.application.streaming_batches.empty()) return std::nullopt;
  int64_t most_ns = 0, time_ns = 0;
  std::vector<BatchWrite> worst;
  for (auto& [query, writes] : WritesOfBatches(input.application)) {
    if (!WritesAllAgain(writes)) continue;
    int64_t again_ns = 0, all_ns = 0;
    for (size_t i = 0; i < writes.size(); ++i) {
      const BatchWrite& one = writes[i];
      const int64_t of_write_ns = TimeOfStages(input, {one.stages.begin(), one.stages.end()});
      const double again = i == 0 ? 0 : Share(writes[i - 1].rows, one.rows);
      again_ns += static_cast<int64_t>(static_cast<double>(of_write_ns) * again);
      all_ns += of_write_ns;
    }
    if (again_ns <= most_ns) continue;
    most_ns = again_ns;
    time_ns = all_ns;
    worst = std::move(writes);
  }
  if (most_ns < kWorthwhileNs || Share(most_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  Finding finding;
  const int64_t rows = worst.back().rows, before = worst[worst.size() - 2].rows;
  finding.title = fmt::format("Each batch of a stream writes all of its output again: {} rows, {} of them new",
                              CountText(rows), CountText(rows - before));
  finding.what = fmt::format("The output of {} batches grows from {} rows to {}", worst.size(),
                             CountText(worst.front().rows), CountText(rows));
  finding.evidence = fmt::format("the queries that write it take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "Each of at least {} batches of a stream writes more rows than the one before, the last one at least {} times "
      "those of the first, from an input that does not grow that much",
      kManyWrites, kOutputTimesLarger);
  finding.selection.event = EventName(Event::kCpu);
  for (const BatchWrite& one : worst) finding.stages.insert(finding.stages.end(), one.stages.begin(), one.stages.end());
  finding.change =
      "Append the rows of the batch, and compute the latest state where it is read, or less often; or use a table "
      "format that merges (Delta, Iceberg, Hudi) and writes only the files that change";
  // A batch that ends earlier only waits longer for its trigger.
  finding.claim = ClaimStages(input, finding.stages, most_ns, HasBusyStream(input.application) ? kMost : kNothing);
  return finding;
}

}  // namespace sparkprof
