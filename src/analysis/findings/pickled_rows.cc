// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "analysis/findings/advice.h"
#include "analysis/findings/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kManyPickledRows = 1'000'000;
// The cost of pickling a row and calling a function for it, more than Arrow's batches: about 2 µs for one number.
constexpr int64_t kNsPerRow = 2'000;
constexpr char kArrow[] = "spark.sql.execution.pythonUDF.arrow.enabled";

// The rows that a Python operator gets pickled, if they are many; else 0.
int64_t PickledRows(const PlanOperator& one) {
  if (one.kind != "BatchEvalPython") return 0;
  const int64_t rows = one.rows_out.value_or(0);
  return rows < kManyPickledRows ? 0 : rows;
}

int64_t BytesPassed(const PlanNode& node) {
  return ValueOf(node, "data sent to Python workers").value_or(0) +
         ValueOf(node, "data returned from Python workers").value_or(0);
}

}  // namespace

std::optional<Finding> FindPickledRows(const FindingInput& input) {
  const std::optional<PlacedOperator> python = WorstOperator(input.application, PickledRows);
  if (!python) return std::nullopt;
  const int64_t rows = PickledRows(python->one), bytes = BytesPassed(python->node());
  Finding finding;
  finding.title = fmt::format("A Python function gets {} rows pickled, without Arrow", CountText(rows));
  finding.what =
      fmt::format("{} pickles each row for the Python workers, and its result for the JVM", OperatorText(*python));
  finding.evidence = fmt::format("{:.200}", python->node().text);
  if (bytes > 0) finding.evidence += fmt::format("; {} passed to the workers and back", FormatBytes(bytes));
  finding.condition = fmt::format("A Python function that is called for each row gets at least {} rows without Arrow",
                                  kManyPickledRows);
  PointAt(*python, &finding);
  finding.change = fmt::format(
      "Use a built-in function instead. Otherwise pass the rows with Arrow: udf(…, useArrow=True) or {}=true (Spark "
      "3.5 "
      "and later), or a pandas UDF, which gets a batch of rows at once",
      kArrow);
  const int64_t stages_ns = TimeOfStages(input, python->one.stages);
  finding.claim = ClaimStages(input, python->one.stages, std::min(stages_ns, rows * kNsPerRow / input.cores), kMost);
  return finding;
}

}  // namespace sparkprof
