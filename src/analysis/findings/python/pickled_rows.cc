// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyPickledRows = 1'000'000;
constexpr int64_t kManyBytes = int64_t{64} << 20;
constexpr int64_t kManyColumns = 20;
// Cost of pickling a row and calling a function for it, compared with Arrow batches: about 2 µs for one number, and 0.1
// µs per byte for larger rows, in the JVM and in Python.
constexpr int64_t kNsPerRow = 2'000, kNsPerByte = 100;
constexpr char kArrow[] = "spark.sql.execution.pythonUDF.arrow.enabled";

int64_t BytesPassed(const PlanNode& node) {
  return ValueOf(node, "data sent to Python workers").value_or(0) +
         ValueOf(node, "data returned from Python workers").value_or(0);
}

// The pickling cost of a Python operator's input and output if it is large; otherwise 0.
int64_t CostOfPickling(const PlanOperator& one) {
  if (one.kind != "BatchEvalPython") return 0;
  const int64_t rows = one.rows_out.value_or(0), bytes = BytesPassed(*one.plan);
  if (rows < kManyPickledRows && bytes < kManyBytes) return 0;
  return std::max(rows * kNsPerRow, bytes * kNsPerByte);
}

// The number of columns that its functions get: "f(a#1, b#2)#3", "g(struct(a, a#1, b, b#2, ... 146 more fields))#3".
int64_t ColumnsPassed(std::string_view text) {
  const std::string_view calls = text.substr(0, text.find("], ["));
  int64_t columns = std::count(calls.begin(), calls.end(), '#') - 1;
  int64_t more = 0;
  static const re2::RE2 cut(R"(\.\.\. (\d+) more fields)");
  // A struct has the name and the value of each column.
  if (re2::RE2::PartialMatch(re2::StringPiece(calls.data(), calls.size()), cut, &more)) columns += more / 2;
  return columns;
}

}  // namespace

std::optional<Finding> FindPickledRows(const FindingInput& input) {
  const std::optional<PlacedOperator> python = WorstOperator(input.application, CostOfPickling);
  if (!python) return std::nullopt;
  const int64_t rows = python->one.rows_out.value_or(0), bytes = BytesPassed(python->node());
  const int64_t columns = ColumnsPassed(python->node().text);
  const bool is_wide = columns >= kManyColumns;
  Finding finding;
  finding.title = is_wide ? fmt::format("A Python function gets {} columns of {} rows pickled, without Arrow", columns,
                                        CountText(rows))
                          : fmt::format("A Python function gets {} rows pickled, without Arrow", CountText(rows));
  finding.what =
      fmt::format("{} pickles each row for the Python workers, and its result for the JVM", OperatorText(*python));
  finding.evidence = fmt::format("{:.200}", python->node().text);
  if (bytes > 0) finding.evidence += fmt::format("; {} passed to the workers and back", FormatBytes(bytes));
  finding.condition =
      fmt::format("A Python function that is called for each row gets at least {} rows or {} without Arrow",
                  kManyPickledRows, FormatBytes(kManyBytes));
  PointAt(*python, &finding);
  if (is_wide) finding.change = "Pass only the columns that the function reads, instead of struct(\"*\"). ";
  finding.change += fmt::format(
      "Use a built-in function instead. Otherwise pass the rows with Arrow: udf(…, useArrow=True) or {}=true (Spark "
      "3.5 and later), or a pandas UDF, which gets a batch of rows at once",
      kArrow);
  const int64_t stages_ns = TimeOfStages(input, python->one.stages);
  finding.claim =
      ClaimStages(input, python->one.stages, std::min(stages_ns, CostOfPickling(python->one) / input.cores), kMost);
  return finding;
}

}  // namespace sparkprof
