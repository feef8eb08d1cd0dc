// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyTimes = 10;        // rows out for each row in
constexpr int64_t kManyRows = 1'000'000;  // out
// Rows that a core compares in a tenth of a second to a second, by the condition.
constexpr int64_t kManyPairs = 10'000'000;

// explode() of lines into words returns tens of rows for each; more is seldom what a query needs.
constexpr int64_t kManyTimesExploded = 100;
constexpr int64_t kManyRowsExploded = 10'000'000;

bool IsJoin(std::string_view kind) { return kind.find("Join") != std::string_view::npos || kind == "CartesianProduct"; }

// The rows that a join adds to those it reads, if they are far more; else 0.
int64_t RowsAdded(const PlanOperator& one) {
  if (!IsJoin(one.kind)) return 0;
  const int64_t in = one.rows_in.value_or(0), out = one.rows_out.value_or(0);
  return out < kManyRows || in == 0 || out / kManyTimes < in ? 0 : out - in;
}

// The pairs of rows that a join without an equality in its condition compares, if they are far more than its rows;
// else 0.
int64_t PairsCompared(const PlanOperator& one) {
  if (one.kind != "BroadcastNestedLoopJoin" && one.kind != "CartesianProduct") return 0;
  const int64_t pairs = one.row_pairs.value_or(0);
  const int64_t rows = one.rows_in.value_or(0) + one.rows_out.value_or(0);
  return pairs < kManyPairs || pairs / kManyTimes < rows ? 0 : pairs;
}

// The operator's text, and the time of its stages if it is known.
std::string EvidenceOf(const PlacedOperator& placed, int64_t time_ns) {
  std::string evidence = Shorten(placed.node().text, 200);
  if (time_ns > 0) evidence += fmt::format("; its stages take {}", FormatDuration(time_ns));
  return evidence;
}

// A join that returns about what it reads, but compares each row of one input with each row of the other.
std::optional<Finding> FindNestedLoops(const FindingInput& input) {
  const std::optional<PlacedOperator> join = WorstOperator(input.application, PairsCompared);
  if (!join) return std::nullopt;
  const int64_t pairs = PairsCompared(join->one), rows_out = join->one.rows_out.value_or(0);
  const int64_t time_ns = TimeOfStages(input, join->one.stages);
  Finding finding;
  finding.title = fmt::format("A join without a key compares {} pairs of rows and returns {}", CountText(pairs),
                              CountText(rows_out));
  finding.confidence = 0.8;
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
      "compared value, or buckets of a range. Filter both inputs before the join";
  const double needed = Share(*join->one.rows_in + rows_out, pairs);
  finding.gain_ns = static_cast<int64_t>(static_cast<double>(time_ns) * (1 - needed));
  finding.gain_low = 0.5;  // a condition on ranges still compares some
  finding.gain_high = 1.1;
  return finding;
}

// The rows that explode() and its like add to those that they read, if they are far more; else 0.
int64_t RowsExploded(const PlanOperator& one) {
  if (one.kind != "Generate") return 0;
  const int64_t in = one.rows_in.value_or(0), out = one.rows_out.value_or(0);
  return out < kManyRowsExploded || in == 0 || out / kManyTimesExploded < in ? 0 : out - in;
}

// An operator that returns far more rows than it reads. The saving is that of its stages without the added rows.
Finding MultipliedRows(const FindingInput& input, const PlacedOperator& placed, std::string_view subject) {
  const int64_t rows_in = *placed.one.rows_in, rows_out = *placed.one.rows_out;
  const double times = static_cast<double>(rows_out) / static_cast<double>(rows_in);
  const int64_t time_ns = TimeOfStages(input, placed.one.stages);
  Finding finding;
  finding.title = fmt::format("{} returns {:.0f} times the rows it reads", subject, times);
  finding.what =
      fmt::format("{} reads {} rows and returns {}", OperatorText(placed), CountText(rows_in), CountText(rows_out));
  finding.evidence = EvidenceOf(placed, time_ns);
  PointAt(placed, &finding);
  finding.gain_ns = static_cast<int64_t>(static_cast<double>(time_ns) * (1 - 1 / times));
  return finding;
}

std::optional<Finding> FindExplodedRows(const FindingInput& input) {
  const std::optional<PlacedOperator> explode = WorstOperator(input.application, RowsExploded);
  if (!explode) return std::nullopt;
  Finding finding = MultipliedRows(input, *explode, "explode()");
  finding.confidence = 0.7;
  finding.condition =
      fmt::format("A generator such as explode() returns at least {} rows for each, and at least {} rows",
                  kManyTimesExploded, CountText(kManyRowsExploded));
  finding.change =
      "Compute on the arrays instead (filter(), transform(), aggregate()), make fewer and coarser elements, or filter "
      "and aggregate before explode()";
  finding.gain_ns = finding.gain_ns * 4 / 5;  // the elements are needed in part
  finding.gain_low = 0.4;
  finding.gain_high = 1.2;
  return finding;
}

}  // namespace

std::optional<Finding> FindExplodingJoins(const FindingInput& input) {
  const std::optional<PlacedOperator> join = WorstOperator(input.application, RowsAdded);
  if (!join) {
    std::optional<Finding> loops = FindNestedLoops(input);
    return loops ? loops : FindExplodedRows(input);
  }
  Finding finding = MultipliedRows(input, *join, "A join");
  finding.confidence = 0.9;
  finding.condition = fmt::format("A join returns at least {} times the rows of its inputs, and at least {} rows",
                                  kManyTimes, CountText(kManyRows));
  finding.change =
      "Join by all columns of the key, remove duplicate keys of one side first, or aggregate before the join. Check "
      "the query for a missing join condition";
  finding.gain_high = 1.1;
  return finding;
}

}  // namespace sparkprof
