// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyRowsRead = 1'000'000;
constexpr int64_t kFewKept = 10;  // at most one row in this many

bool IsFileScan(const PlanNode& node) { return KindOf(node) == "Scan" && Contains(node.text, "PushedFilters: "); }

// The file scan below a filter, through nodes that do not change rows; null if there is none.
const PlanNode* ScanBelow(const PlanNode& filter) {
  const PlanNode* node = &filter;
  while (node->children.size() == 1) {
    node = &node->children.front();
    if (IsFileScan(*node)) return node;
    const std::string_view kind = KindOf(*node);
    if (kind != "ColumnarToRow" && kind != "Project" && kind != "InputAdapter" && kind != "WholeStageCodegen") break;
  }
  return nullptr;
}

// The rows that a filter drops if they are most of the many rows that its scan reads; otherwise 0.
int64_t RowsDropped(const PlanOperator& filter, const PlanNode& scan) {
  const int64_t read = ValueOf(scan, RowsMetricOf(scan)).value_or(0), kept = filter.rows_out.value_or(read);
  return read < kManyRowsRead || read / kFewKept < kept ? 0 : read - kept;
}

// The queries that filter one table, and the IDs of their stages that scan it.
struct FilteredTable {
  std::vector<int64_t> stages;
  int64_t queries = 0;
};

// Counts queries in which a filter above a scan of the same location has a nonzero `measure`. `measure` must return 0
// for operators without a scan below them.
FilteredTable QueriesOfTable(const Application& application, const PlanNode& scan, const MeasureOfOperator& measure) {
  constexpr std::string_view kLocation = "Location: ";
  FilteredTable table;
  for (const SqlExecution& sql : application.sql_executions) {
    const size_t before = table.stages.size();
    for (const PlanOperator& one : OperatorsOf(sql.plan)) {
      if (measure(one) == 0) continue;
      if (FieldOf(ScanBelow(*one.plan)->text, kLocation) != FieldOf(scan.text, kLocation)) continue;
      table.stages.insert(table.stages.end(), one.stages.begin(), one.stages.end());
    }
    table.queries += table.stages.size() > before ? 1 : 0;
  }
  return table;
}

// Extends a finding about one query to all of them.
void PointAtQueries(const FilteredTable& table, Finding* finding) {
  if (table.queries < 2) return;
  finding->selection.sql.reset();
  finding->stages = table.stages;
  finding->evidence += fmt::format("; {} queries read it so", CountText(table.queries));
}

constexpr char kOutputRows[] = "number of output rows";

// True if a scan skips nothing: for a comparison of a column, Spark pushes down at least that it is not null.
bool HasNoFilter(const PlanNode& scan) {
  static const RE2 kNone(R"(PushedFilters: \[(?:IsNotNull\([^,\]]*\)(?:, )?)*\])");
  return RE2::PartialMatch(scan.text, kNone) &&
         (Contains(scan.text, "PartitionFilters: []") || !Contains(scan.text, "PartitionFilters: "));
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

constexpr int64_t kManyPartitionsRead = 10;
constexpr char kPartitionsRead[] = "number of partitions read";

// The rows that a filter drops of a partitioned table which its scan reads completely; otherwise 0.
int64_t RowsOfAllPartitions(const PlanOperator& one) {
  if (one.kind != "Filter") return 0;
  const PlanNode* const scan = ScanBelow(*one.plan);
  if (scan == nullptr || ValueOf(*scan, kPartitionsRead).value_or(0) < kManyPartitionsRead) return 0;
  if (!Contains(scan->text, "PartitionFilters: []")) return 0;
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
      "the filter down. Partition or sort the table by the column, and store it as Parquet or ORC";
  // The number of row groups that a pushed filter skips is unknown.
  finding.claim = ClaimStages(input, table.stages, time_ns, kSome);
  return finding;
}

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
  finding.claim = ClaimStages(input, table.stages, Scaled(time_ns, dropped), kHalf);
  return finding;
}

}  // namespace sparkprof
