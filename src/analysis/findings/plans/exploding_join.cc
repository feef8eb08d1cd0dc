// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"
#include "analysis/plans/operator_costs.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyTimes = 8;         // output rows per input row
constexpr int64_t kManyRows = 1'000'000;  // output rows
// A core compares this many rows in 0.1 to 1 s, depending on the condition.
constexpr int64_t kManyPairs = 10'000'000;
// CPU time of a join by a key, per row that it reads or returns; a hash join takes 100 to 300 ns.
constexpr int64_t kLongForARow = 1'000;
constexpr int64_t kLongCpuNs = 2 * kNanosPerSecond;

// explode() of lines into words returns tens of rows for each; queries seldom need more.
constexpr int64_t kManyTimesExploded = 100;
constexpr int64_t kManyRowsExploded = 10'000'000;

// CUBE of four columns has 16 sets of columns, count(distinct) of four columns and a sum has five.
constexpr int64_t kManyTimesExpanded = 8;
constexpr int64_t kManyRowsExpanded = 5'000'000;

bool IsJoin(std::string_view kind) { return Contains(kind, "Join") || kind == "CartesianProduct"; }

// True for a join of a table with itself whose condition only makes each pair appear once or leaves out equal rows:
// "(site1#11 < site2#17)", "NOT (id_a#1 = id_b#2)". The query requires all other pairs.
bool PairsAllRows(const PlanOperator& one) {
  static const re2::RE2 pair(
      R"((?:Inner, |Cross, |CartesianProduct )(?:\((\w+?)(?:_?\d|_[a-z])?#\d+L? [<>] (\w+?)(?:_?\d|_[a-z])?#\d+L?\)|NOT \((\w+?)(?:_?\d|_[a-z])?#\d+L? = (\w+?)(?:_?\d|_[a-z])?#\d+L?\))(?:, (?:true|false))?$)");
  std::string below, above, left, right;
  return re2::RE2::PartialMatch(one.plan->text, pair, &below, &above, &left, &right) && below == above && left == right;
}

int64_t RowsAdded(const PlanOperator& one) {
  if (!IsJoin(one.kind)) return 0;
  const int64_t in = one.rows_in.value_or(0), out = one.rows_out.value_or(0);
  return out < kManyRows || in == 0 || out / kManyTimes < in || PairsAllRows(one) ? 0 : out - in;
}

bool HasNoKey(const PlanOperator& one) {
  return one.kind == "BroadcastNestedLoopJoin" || one.kind == "CartesianProduct";
}

// The pairs of rows that a join without an equality compares if they are far more than its rows; otherwise 0.
int64_t PairsCompared(const PlanOperator& one) {
  if (!HasNoKey(one)) return 0;
  const int64_t pairs = one.row_pairs.value_or(0);
  const int64_t rows = one.rows_in.value_or(0) + one.rows_out.value_or(0);
  return pairs < kManyPairs || pairs / kManyTimes < rows ? 0 : pairs;
}

// The operator's text, and the time of its stages if known.
std::string EvidenceOf(const PlacedOperator& placed, int64_t time_ns) {
  std::string evidence = Shorten(placed.node().text, 200);
  if (time_ns > 0) evidence += fmt::format("; its stages take {}", FormatDuration(time_ns));
  return evidence;
}

// The consumer of an operator's rows, skipping projections; null if there is none.
const PlanOperator* Above(const std::vector<PlanOperator>& operators, const PlanOperator& one) {
  int32_t row = one.parent;
  while (row >= 0 && operators[static_cast<size_t>(row)].kind == "Project")
    row = operators[static_cast<size_t>(row)].parent;
  return row < 0 ? nullptr : &operators[static_cast<size_t>(row)];
}

// The Python function whose result filters the pairs of a join without a key: "same_name()"; may be empty. Spark
// extracts it from the join condition: "BatchEvalPython [same_name(a#1, b#3)#4], [pythonUDF0#9]" below "Filter
// pythonUDF0#9".
std::string PythonCondition(const PlacedOperator& join) {
  if (!HasNoKey(join.one)) return {};
  const std::vector<PlanOperator> operators = OperatorsOf(join.sql->plan);
  const PlanOperator* python = Above(operators, join.one);
  if (python == nullptr || !python->kind.ends_with("EvalPython")) return {};
  const PlanOperator* filter = Above(operators, *python);
  if (filter == nullptr || filter->kind != "Filter" || !Contains(filter->plan->text, "pythonUDF")) return {};
  const std::string_view text = python->plan->text;
  const size_t begin = text.find('[') + 1, end = text.find('(', begin);
  return begin == 0 || end == std::string_view::npos ? std::string()
                                                     : std::string(text.substr(begin, end - begin)) + "()";
}

void NameCondition(const std::string& function, Finding* finding) {
  finding->what += fmt::format(
      "; its condition is the Python function {}, so Spark has no key to join by and calls it for each pair", function);
  finding->change = fmt::format(
      "Compute what {} compares as a column of each input, and join by the equality of these columns; or add an "
      "equality that all matching rows have to the join condition",
      function);
}

// True if the join is NOT IN of several nullable columns: "(a#1 = b#2) OR isnull((a#1 = b#2))" for each.
bool IsNotIn(const PlacedOperator& join) {
  const std::string& text = join.node().text;
  return Contains(text, "LeftAnti") && text.find(" OR isnull((") != std::string::npos;
}

// A join that returns about as many rows as it reads, but compares each row of one input with each row of the other.
std::optional<Finding> FindNestedLoops(const FindingInput& input) {
  const std::optional<PlacedOperator> join = WorstOperator(input.application, PairsCompared);
  if (!join) return std::nullopt;
  const int64_t pairs = PairsCompared(join->one), rows_out = join->one.rows_out.value_or(0);
  const int64_t time_ns = TimeOfStages(input, join->one.stages);
  const std::string function = PythonCondition(*join);
  Finding finding;
  finding.title = fmt::format("A join {} compares {} pairs of rows and returns {}",
                              function.empty() ? "without a key" : "by the Python function " + function,
                              CountText(pairs), CountText(rows_out));
  finding.what = fmt::format("{} reads {} rows and compares each row of one input with each row of the other",
                             OperatorText(*join), CountText(*join->one.rows_in));
  finding.evidence = EvidenceOf(*join, time_ns);
  finding.condition = fmt::format(
      "A join without an equality in its condition compares at least {} pairs of rows, and at least {} times the rows "
      "that it reads and returns",
      CountText(kManyPairs), kManyTimes);
  PointAt(*join, &finding);
  finding.change =
      "Add an equality to the join condition, so that Spark joins by hash or sort: a key, a prefix or hash of the "
      "compared value, or buckets of a range. Unite one join for each side of an OR. Filter both inputs before the "
      "join";
  if (!function.empty()) NameCondition(function, &finding);
  if (IsNotIn(*join)) {
    finding.title =
        fmt::format("NOT IN compares {} pairs of rows and returns {}", CountText(pairs), CountText(rows_out));
    finding.what += "; NOT IN has no key to join by, because its columns may be null";
    finding.change =
        "Write NOT EXISTS, or LEFT ANTI JOIN, with an equality for each column: Spark joins by these. The result "
        "differs only for rows with nulls in these columns";
  }
  const double needed = Share(*join->one.rows_in + rows_out, pairs);
  // A condition on ranges still compares some.
  finding.claim = ClaimStages(input, join->one.stages, Scaled(time_ns, 1 - needed), kMost);
  return finding;
}

constexpr char kManyOfKey[] =
    "Find the values of the join key with most rows on both sides (groupBy(key).count()), whose rows multiply. If they "
    "mean \"unknown\" (null, 0, an empty text, a placeholder), or the query drops what has so many matches, filter "
    "them before the join. ";

// True if the join's condition compares columns of both inputs other than by equality: "(valid_from#5 <= order_ts#2)".
bool ComparesRanges(const PlanNode& join) {
  static const re2::RE2 range("\\w#\\d+L? (<|<=|>|>=) \\w+#\\d");
  return re2::RE2::PartialMatch(join.text, range);
}

// A join by a key that compares far more pairs of rows than its inputs have, and rejects most of them by the rest of
// its condition. Spark does not count the pairs: only CPU samples show them.
std::optional<Finding> FindRejectedPairs(const FindingInput& input) {
  const auto may_reject = [](const PlanOperator& one) {
    const bool has_key = IsJoin(one.kind) && !HasNoKey(one);
    return has_key && one.rows_in && one.rows_out && ComparesRanges(*one.plan) ? *one.rows_in + *one.rows_out : 0;
  };
  if (!HasSamples(input.application) || !WorstOperator(input.application, may_reject)) return std::nullopt;
  const OperatorCosts all = CostOfOperators(input.application);
  size_t worst = all.costs.size();
  int64_t each_ns = 0;  // CPU time per row of the worst
  for (size_t row = 0; row < all.costs.size(); ++row) {
    const int64_t rows = may_reject(all.operators[row].one), cpu_ns = all.costs[row].cpu_ns.value_or(0);
    if (rows == 0 || cpu_ns < kLongCpuNs || cpu_ns / rows < kLongForARow) continue;
    if (worst != all.costs.size() && cpu_ns <= *all.costs[worst].cpu_ns) continue;
    worst = row;
    each_ns = cpu_ns / rows;
  }
  if (worst == all.costs.size()) return std::nullopt;
  const SqlOperator& found = all.operators[worst];
  const PlacedOperator join{&input.application.sql_executions[static_cast<size_t>(found.sql)], found.one};
  const int64_t cpu_ns = *all.costs[worst].cpu_ns;
  const int64_t stages_ns = TimeOfStages(input, join.one.stages);
  Finding finding;
  finding.title = fmt::format("A join takes {} of CPU time for each row: keys with many rows on both sides",
                              FormatDuration(each_ns));
  finding.what = fmt::format(
      "{} reads {} rows and returns {}, with {} of CPU time: for each key it compares all rows of one input with all "
      "rows of the other, and its condition rejects most of these pairs",
      OperatorText(join), CountText(*join.one.rows_in), CountText(*join.one.rows_out), FormatDuration(cpu_ns));
  finding.evidence = EvidenceOf(join, stages_ns);
  finding.condition = fmt::format(
      "A join by a key whose condition also compares ranges takes at least {} of CPU samples, and {} for each row that "
      "it reads or returns",
      FormatDuration(kLongCpuNs), FormatDuration(kLongForARow));
  PointAt(join, &finding);
  finding.change = fmt::format(
      "{}Otherwise add an equality that matching rows share to the join: buckets of the range, such as hours or days",
      kManyOfKey);
  const int64_t cores = std::max<int64_t>(1, input.cores);
  finding.claim = ClaimStages(input, join.one.stages, std::min(stages_ns, cpu_ns / cores), kMost);
  return finding;
}

// The rows that explode() and similar generators add to their input if they are far more; otherwise 0.
int64_t RowsExploded(const PlanOperator& one) {
  if (one.kind != "Generate") return 0;
  const int64_t in = one.rows_in.value_or(0), out = one.rows_out.value_or(0);
  return out < kManyRowsExploded || in == 0 || out / kManyTimesExploded < in ? 0 : out - in;
}

// The copies of rows for grouping sets (CUBE, ROLLUP) and several count(distinct) if they are far more than the rows;
// otherwise 0.
int64_t RowsExpanded(const PlanOperator& one) {
  if (one.kind != "Expand") return 0;
  const int64_t in = one.rows_in.value_or(0), out = one.rows_out.value_or(0);
  return out < kManyRowsExpanded || in == 0 || out / kManyTimesExpanded < in ? 0 : out - in;
}

// Stages of an operator, and of those above that process its rows until one returns less than half of them.
std::vector<int64_t> StagesOfRows(const PlacedOperator& placed) {
  const std::vector<PlanOperator> operators = OperatorsOf(placed.sql->plan);
  std::vector<int64_t> stages = placed.one.stages;
  for (int32_t row = placed.one.parent; row >= 0;) {
    const PlanOperator& one = operators[static_cast<size_t>(row)];
    if (one.rows_out && *one.rows_out < *placed.one.rows_out / 2) break;
    stages.insert(stages.end(), one.stages.begin(), one.stages.end());
    row = one.parent;
  }
  std::ranges::sort(stages);
  stages.erase(std::unique(stages.begin(), stages.end()), stages.end());
  return stages;
}

// An operator that returns far more rows than it reads. The saving is the time of the stages that process the added
// rows.
Finding MultipliedRows(const FindingInput& input, const PlacedOperator& placed, std::string_view subject) {
  const int64_t rows_in = *placed.one.rows_in, rows_out = *placed.one.rows_out;
  const double times = static_cast<double>(rows_out) / static_cast<double>(rows_in);
  const std::vector<int64_t> stages = StagesOfRows(placed);
  const int64_t time_ns = TimeOfStages(input, stages);
  Finding finding;
  finding.title = fmt::format("{} returns {} times the rows it reads", subject, CountText(std::llround(times)));
  finding.what =
      fmt::format("{} reads {} rows and returns {}", OperatorText(placed), CountText(rows_in), CountText(rows_out));
  finding.evidence = EvidenceOf(placed, time_ns);
  PointAt(placed, &finding);
  finding.claim = ClaimStages(input, stages, Scaled(time_ns, 1 - 1 / times), kMost);
  return finding;
}

// True if a join gets the rows of an operator before an aggregate does.
bool IsJoined(const PlacedOperator& placed) {
  const std::vector<PlanOperator> operators = OperatorsOf(placed.sql->plan);
  for (int32_t row = placed.one.parent; row >= 0;) {
    const PlanOperator& one = operators[static_cast<size_t>(row)];
    if (IsJoin(one.kind)) return true;
    if (one.kind.ends_with("Aggregate")) return false;
    row = one.parent;
  }
  return false;
}

std::optional<Finding> FindExplodedRows(const FindingInput& input) {
  const std::optional<PlacedOperator> explode = WorstOperator(input.application, RowsExploded);
  if (!explode) return std::nullopt;
  Finding finding = MultipliedRows(input, *explode, "explode()");
  finding.condition =
      fmt::format("A generator such as explode() returns at least {} rows for each, and at least {} rows",
                  kManyTimesExploded, CountText(kManyRowsExploded));
  const bool is_of_ranges = explode->node().text.find("sequence(") != std::string::npos;
  finding.change =
      is_of_ranges && IsJoined(*explode)
          ? "Join with the ranges themselves, not with a row for each of their elements: the equal columns, and the "
            "other row's value BETWEEN begin and end; broadcast the ranges if they are small"
      : is_of_ranges ? "Do not make a row for each element of a range if you count them: take +1 at the start of each "
                       "range and -1 after its end, and add these up in order (a window with a running sum)"
                     : "Compute on the arrays instead (filter(), transform(), aggregate()), make fewer and coarser "
                       "elements, or filter and aggregate before explode()";
  finding.claim.removal = kHalf;  // some of the elements are needed
  return finding;
}

// True if aggregating to the finest set of columns before the Expand gives the same result: sums of sums, without
// sketches of distinct values. Then few rows are copied.
bool CanAggregateBefore(const PlacedOperator& expand) {
  static const re2::RE2 function("(?:partial_|merge_)?(\\w+)\\((?:DISTINCT )?");
  static const re2::RE2 mergeable("(?i)sum|count|min|max|avg|cast|coalesce|if|keys|functions|case|isnull|isnotnull");
  const std::vector<PlanOperator> operators = OperatorsOf(expand.sql->plan);
  const PlanOperator* const aggregate = Above(operators, expand.one);
  if (aggregate == nullptr || aggregate->kind != "HashAggregate") return false;
  re2::StringPiece text(aggregate->plan->text), name;
  while (re2::RE2::FindAndConsume(&text, function, &name)) {
    if (name != "HashAggregate" && !re2::RE2::FullMatch(name, mergeable)) return false;
  }
  return aggregate->rows_out.value_or(INT64_MAX) < *expand.one.rows_in;
}

// The column whose distinct values an Expand counts under several conditions, "CASE WHEN (day#2 >= 30) THEN user#0L
// END"; empty if there are others.
std::string ColumnUnderConditions(std::string_view expand) {
  static const re2::RE2 conditional("THEN (\\w+)#\\d+L? END");
  re2::StringPiece text(expand);
  std::string column, name;
  while (re2::RE2::FindAndConsume(&text, conditional, &name)) {
    if (!column.empty() && name != column) return {};
    column = name;
  }
  return column;
}

std::optional<Finding> FindExpandedRows(const FindingInput& input) {
  const std::optional<PlacedOperator> expand = WorstOperator(input.application, RowsExpanded);
  if (!expand) return std::nullopt;
  const bool has_sets = Contains(expand->node().text, "spark_grouping_id");
  // Sets of columns that a query requests are its work.
  if (has_sets && !CanAggregateBefore(*expand)) return std::nullopt;
  Finding finding =
      MultipliedRows(input, *expand, has_sets ? "A query with grouping sets" : "A query with several count(distinct)");
  finding.what += ": a copy for each set of columns";
  finding.condition = fmt::format(
      "Several count(distinct), or grouping sets whose aggregates can be computed from those of the finest set, make "
      "at least {} copies of each row, and at least {} rows",
      kManyTimesExpanded, CountText(kManyRowsExpanded));
  finding.change = has_sets ? "Aggregate by all columns of the grouping sets first, then by CUBE, ROLLUP or GROUPING "
                              "SETS over the result: sums of sums and counts, minima of minima"
                            : "Use approx_count_distinct(), or count each column in an aggregation of its own";
  const std::string column = ColumnUnderConditions(expand->node().text);
  if (!has_sets && !column.empty()) {
    finding.change = fmt::format(
        "Aggregate twice: by the grouping columns and {0} first, with a flag for each condition (max(CASE WHEN … THEN "
        "1 ELSE 0 END)), then by the grouping columns alone, with the sums of the flags. That counts the same {0} "
        "without copies of the rows. Where it may be approximate, use approx_count_distinct()",
        column);
  }
  finding.claim.removal = kHalf;
  return finding;
}

}  // namespace

std::optional<Finding> FindExplodingJoins(const FindingInput& input) {
  const std::optional<PlacedOperator> join = WorstOperator(input.application, RowsAdded);
  if (!join) {
    for (const auto find : {FindNestedLoops, FindRejectedPairs, FindExplodedRows, FindExpandedRows})
      if (std::optional<Finding> finding = find(input)) return finding;
    return std::nullopt;
  }
  const std::string function = PythonCondition(*join);
  Finding finding =
      MultipliedRows(input, *join, function.empty() ? "A join" : "A join by the Python function " + function);
  finding.condition = fmt::format("A join returns at least {} times the rows of its inputs, and at least {} rows",
                                  kManyTimes, CountText(kManyRows));
  finding.change = fmt::format(
      "{}{}", HasNoKey(join->one) ? "" : kManyOfKey,
      ComparesRanges(join->node())
          ? "If a row needs only its latest match, give each row of the other side the end of its validity by "
            "lead(), and join on both bounds, so that one row matches. Otherwise join by more columns, or "
            "aggregate before the join"
          : "Join by all columns of the key, remove duplicate keys of one side first, or aggregate before the "
            "join. Check the query for a missing join condition");
  if (!function.empty()) NameCondition(function, &finding);
  return finding;
}

}  // namespace sparkprof
