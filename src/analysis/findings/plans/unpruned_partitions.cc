// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/filtered_scan.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyPartitionsRead = 10;
constexpr char kPartitionsRead[] = "number of partitions read";

// The rows that a filter drops of a partitioned table which its scan reads completely; otherwise 0.
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
  const FilteredTable table = QueriesOfTable(input.application, scan, RowsOfAllPartitions);
  const int64_t time_ns = TimeOfStages(input, table.stages);
  const double dropped = Share(RowsOfAllPartitions(filter->one), ValueOf(scan, "number of output rows").value_or(0));
  Finding finding;
  finding.title = fmt::format("A filter reads all {} partitions of a table", CountText(partitions));
  finding.what = fmt::format("{} keeps {} rows of a partitioned table, and has no condition on its partition columns",
                             OperatorText(*filter), CountText(filter->one.rows_out.value_or(0)));
  finding.evidence = fmt::format("{:.200}", filter->node().text);
  if (time_ns > 0) finding.evidence += fmt::format("; its stages take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "A scan without partition filters reads at least {} partitions and {} rows, and a filter keeps at most one in {}",
      kManyPartitionsRead, CountText(kManyRowsRead), kFewKept);
  PointAt(*filter, &finding);
  PointAtQueries(table, &finding);
  finding.change =
      "Filter by the partition columns themselves, not by a function of them or by another column with the same "
      "meaning; or partition the table by the column of this filter";
  // The number of partitions with matching rows is unknown.
  finding.claim = ClaimStages(input, table.stages, static_cast<int64_t>(static_cast<double>(time_ns) * dropped), kHalf);
  return finding;
}

}  // namespace sparkprof
