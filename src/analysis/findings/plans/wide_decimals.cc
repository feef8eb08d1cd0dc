// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <string>

#include "analysis/findings/advice.h"
#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/rules.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int kLongestLong = 18;  // digits of a decimal that Spark stores as a long
constexpr int64_t kManyCasts = 1'000'000;
// Cost of arithmetic with objects (BigDecimal) per value that a cast converts.
constexpr int64_t kNsPerCast = 400;

// Columns that an operator casts to decimals with more digits than a long holds.
std::set<std::string> WidenedColumns(const PlanOperator& one) {
  static const re2::RE2 cast(R"(cast\((\w+)#\d+L? as decimal\((\d+),\d+\)\))");
  std::set<std::string> columns;
  re2::StringPiece rest(one.plan->text);
  std::string column;
  int digits = 0;
  while (re2::RE2::FindAndConsume(&rest, cast, &column, &digits)) {
    if (digits > kLongestLong) columns.insert(column);
  }
  return columns;
}

// Adds the types shown by scans below an operator: "import_kwh:decimal(9,3)".
void AddSchemas(const PlanNode& node, std::string* schemas) {
  const size_t at = node.text.find("ReadSchema: ");
  if (at != std::string::npos) *schemas += node.text.substr(at);
  for (const PlanNode& child : node.children) AddSchemas(child, schemas);
}

// True if the column's type is known and is not a decimal that fits a long.
bool IsOfOtherType(std::string_view schemas, const std::string& column) {
  for (const char before : {'<', ','}) {
    const std::string name = before + column + ":";
    const size_t at = schemas.find(name);
    if (at == std::string_view::npos) continue;
    int digits = 0;
    const std::string_view type = schemas.substr(at + name.size());
    const size_t cut = type.find("...");
    if (cut < type.find_first_of(",>")) return false;
    static const re2::RE2 decimal(R"(decimal\((\d+),)");
    re2::StringPiece text(type.data(), type.size());
    return !re2::RE2::Consume(&text, decimal, &digits) || digits > kLongestLong;
  }
  return false;
}

// The number of values that an operator converts to objects without need; otherwise 0. Spark truncates long schemas, so
// some types are unknown.
int64_t ValuesWidened(const PlanOperator& one) {
  std::set<std::string> columns = WidenedColumns(one);
  if (columns.empty()) return 0;
  std::string schemas;
  AddSchemas(*one.plan, &schemas);
  std::erase_if(columns, [&](const std::string& column) { return IsOfOtherType(schemas, column); });
  const int64_t values = one.rows_in.value_or(0) * static_cast<int64_t>(columns.size());
  return values < kManyCasts ? 0 : values;
}

}  // namespace

std::optional<Finding> FindWideDecimals(const FindingInput& input) {
  const std::optional<PlacedOperator> worst = WorstOperator(input.application, ValuesWidened);
  if (!worst) return std::nullopt;
  const int64_t values = ValuesWidened(worst->one);
  const int64_t stages_ns = TimeOfStages(input, worst->one.stages);
  const int64_t saved_ns = std::min(stages_ns, values * kNsPerCast / input.cores);
  if (saved_ns < kWorthwhileNs || Share(saved_ns, input.duration_ns) < kNoticeable) return std::nullopt;
  const auto columns = static_cast<int64_t>(WidenedColumns(worst->one).size());
  Finding finding;
  finding.title = fmt::format("{} {} cast to decimals of more than {} digits, which are objects",
                              Counted(columns, "column"), columns == 1 ? "is" : "are", kLongestLong);
  finding.what = fmt::format("{} makes {} numbers objects (BigDecimal) before it computes with them",
                             OperatorText(*worst), CountText(values));
  finding.evidence = fmt::format("{:.200}; its stages take {}", worst->node().text, FormatDuration(stages_ns));
  finding.condition = fmt::format(
      "An operator casts columns to decimals of more than {} digits, for at least {} values, and computing with these "
      "takes about {} of the duration, by {} for each; not columns that are known to be of another type than a shorter "
      "decimal",
      kLongestLong, CountText(kManyCasts), FormatShare(kNoticeable), FormatDuration(kNsPerCast));
  PointAt(*worst, &finding);
  finding.change = fmt::format(
      "Compute with the narrow type of the columns, or with integers of the smallest unit, and cast the sums: Spark "
      "keeps decimals of at most {} digits as a long",
      kLongestLong);
  finding.claim = ClaimStages(input, worst->one.stages, saved_ns, kMost);
  return finding;
}

}  // namespace sparkprof
