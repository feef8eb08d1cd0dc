// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/filtered_scan.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr char kOutputRows[] = "number of output rows";

// True if a scan skips nothing: for a comparison of a column, Spark pushes down at least that it is not null.
bool HasNoFilter(const PlanNode& scan) {
  static const RE2 kNone(R"(PushedFilters: \[(?:IsNotNull\([^,\]]*\)(?:, )?)*\])");
  return RE2::PartialMatch(scan.text, kNone) && (scan.text.find("PartitionFilters: []") != std::string::npos ||
                                                 scan.text.find("PartitionFilters: ") == std::string::npos);
}

// True if the files have statistics that let a scan skip rows. Text files are parsed completely.
bool HasStatistics(const PlanNode& scan) {
  static const RE2 kText(R"((?i)\bFormat: (?:csv|json|text|xml|avro)\b|^Scan (?:csv|json|text|xml|avro)\b)");
  return !RE2::PartialMatch(scan.text, kText) && !RE2::PartialMatch(scan.name, kText);
}

// True if rewriting the filter cannot skip rows: each part searches texts, or compares columns of the row.
bool IsOfEachRow(std::string_view filter) {
  static const RE2 kOfRow(R"(LIKE %|RLIKE|Contains\(|EndsWith\(|^\(*\w+#\d+L? (?:[<>]=?|=|<=>) \w+#\d+L?\)*$)");
  constexpr std::string_view kAnd = " AND ", kFilter = "Filter ";
  if (filter.starts_with(kFilter)) filter.remove_prefix(kFilter.size());
  bool is_of_row = false;
  while (!filter.empty()) {
    const std::string_view part = filter.substr(0, filter.find(kAnd));
    filter.remove_prefix(std::min(filter.size(), part.size() + kAnd.size()));
    if (part.find("isnotnull(") != std::string_view::npos) continue;
    if (!RE2::PartialMatch(part, kOfRow)) return false;
    is_of_row = true;
  }
  return is_of_row;
}

// The rows that a filter drops if they are most of the rows of a complete scan; otherwise 0.
int64_t RowsReadInVain(const PlanOperator& one) {
  if (one.kind != "Filter" || IsOfEachRow(one.plan->text)) return 0;
  const PlanNode* const scan = ScanBelow(*one.plan);
  if (scan == nullptr || !HasStatistics(*scan) || !HasNoFilter(*scan)) return 0;
  return RowsDropped(one, *scan);
}

}  // namespace

std::optional<Finding> FindUnpushedFilters(const FindingInput& input) {
  const std::optional<PlacedOperator> filter = WorstOperator(input.application, RowsReadInVain);
  if (!filter) return std::nullopt;
  const PlanNode& scan = *ScanBelow(filter->node());
  const int64_t read = ValueOf(scan, kOutputRows).value_or(0), kept = filter->one.rows_out.value_or(0);
  const FilteredTable table = QueriesOfTable(input.application, scan, RowsReadInVain);
  const int64_t time_ns = TimeOfStages(input, table.stages);
  Finding finding;
  finding.title = fmt::format("A scan reads {} rows for {} that a filter keeps", CountText(read), CountText(kept));
  finding.what = fmt::format("{} reads the whole table, because no filter that skips rows was pushed down to its scan",
                             OperatorText(*filter));
  finding.evidence = fmt::format("{:.200}", filter->node().text);
  if (time_ns > 0) finding.evidence += fmt::format("; its stages take {}", FormatDuration(time_ns));
  finding.condition = fmt::format(
      "A scan without partition filters and without pushed filters, except IsNotNull, reads at least {} rows, and a "
      "filter keeps at most one in {}",
      CountText(kManyRowsRead), kFewKept);
  PointAt(*filter, &finding);
  PointAtQueries(table, &finding);
  finding.change =
      "Compare the column itself with a value of its type: a function, a cast or a UDF on the column prevents pushing "
      "the "
      "filter down. Partition or sort the table by the column, and store it as Parquet or ORC";
  // The number of row groups that a pushed filter skips is unknown.
  finding.claim = ClaimStages(input, table.stages, time_ns, kSome);
  return finding;
}

}  // namespace sparkprof
