// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "analysis/findings/advice.h"
#include "analysis/findings/filtered_scan.h"
#include "analysis/findings/plan_operator.h"
#include "analysis/findings/plan_source.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyPartitionsRead = 10;
constexpr double kSavedByPruning = 0.8;  // of the time for rows that a filter drops
constexpr char kPartitionsRead[] = "number of partitions read";

// The rows that a filter drops of a partitioned table that its scan reads as a whole; 0 if it is not such a filter.
int64_t RowsOfAllPartitions(const PlanOperator& one) {
  if (one.kind != "Filter") return 0;
  const PlanNode* const scan = ScanBelow(*one.plan);
  if (scan == nullptr || ValueOf(*scan, kPartitionsRead).value_or(0) < kManyPartitionsRead) return 0;
  if (scan->text.find("PartitionFilters: []") == std::string::npos) return 0;
  return RowsDropped(one, *scan);
}

}  // namespace

std::optional<Finding> FindUnprunedPartitions(const FindingInput& input) {
  const std::optional<PlacedOperator> filter = WorstOperator(input.application, RowsOfAllPartitions);
  if (!filter) return std::nullopt;
  const PlanNode& scan = *ScanBelow(filter->node());
  const int64_t partitions = *ValueOf(scan, kPartitionsRead);
  // All queries that read this table so.
  std::vector<int64_t> stages;
  int64_t queries = 0;
  for (const SqlExecution& sql : input.application.sql_executions) {
    const size_t before = stages.size();
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      if (RowsOfAllPartitions(one) == 0) continue;
      if (FieldOf(ScanBelow(*one.plan)->text, "Location: ") != FieldOf(scan.text, "Location: ")) continue;
      stages.insert(stages.end(), one.stages.begin(), one.stages.end());
    }
    queries += stages.size() > before ? 1 : 0;
  }
  const int64_t time_ns = TimeOfStages(input, stages);
  const double dropped = Share(RowsOfAllPartitions(filter->one), ValueOf(scan, "number of output rows").value_or(0));
  Finding finding;
  finding.title = fmt::format("A filter reads all {} partitions of a table", CountText(partitions));
  finding.confidence = 0.6;
  finding.what = fmt::format("{} keeps {} rows of a partitioned table, and has no condition on its partition columns",
                             OperatorText(*filter), CountText(filter->one.rows_out.value_or(0)));
  finding.evidence = fmt::format("{:.200}", filter->node().text);
  if (time_ns > 0) finding.evidence += fmt::format("; its stages take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "A scan without partition filters reads at least {} partitions and {} rows, and a filter keeps at most one in {}",
      kManyPartitionsRead, CountText(kManyRowsRead), kFewKept);
  PointAt(*filter, &finding);
  if (queries > 1) {
    finding.selection.sql.reset();
    finding.stages = stages;
    finding.evidence += fmt::format("; {} queries read it so", CountText(queries));
  }
  finding.change =
      "Filter by the partition columns themselves, not by a function of them or by another column with the same "
      "meaning; or partition the table by the column of this filter";
  // How many partitions have rows that the filter keeps is unknown.
  finding.gain_ns = static_cast<int64_t>(static_cast<double>(time_ns) * dropped * kSavedByPruning);
  finding.gain_low = 0.3;
  finding.gain_high = 1.3;
  return finding;
}

}  // namespace sparkprof
