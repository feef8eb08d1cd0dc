// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "analysis/findings/plans/plan_operator.h"
#include "analysis/findings/plans/plan_values.h"
#include "analysis/findings/rules.h"
#include "analysis/selection/spark_settings.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kSmallSide = int64_t{64} << 20;  // bytes; ten times as many are little for the driver's memory
constexpr int64_t kTimesLarger = 10;
constexpr char kBroadcastThreshold[] = "spark.sql.autoBroadcastJoinThreshold";

// The exchange below a join, through operators that neither add nor combine rows; null if there is none.
const PlanOperator* ExchangeBelow(const std::vector<PlanOperator>& operators, int32_t row) {
  for (;;) {
    const PlanOperator& one = operators[static_cast<size_t>(row)];
    if (one.kind == "Exchange") return &one;
    const bool passes = one.kind == "Sort" || one.kind == "AQEShuffleRead" || one.kind == "CustomShuffleReader";
    if (!passes || one.inputs.size() != 1) return nullptr;
    row = one.inputs.front();
  }
}

struct JoinCandidate {
  PlacedOperator join;
  JoinSides sides;  // refer to a plan's operators, which live during the search
  std::vector<int64_t> stages;
  int64_t time_ns = 0;
};

JoinCandidate WorstJoin(const FindingInput& input) {
  JoinCandidate worst;
  for (const SqlExecution& sql : input.application.sql_executions) {
    const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
    for (const PlanOperator& one : operators) {
      const JoinSides sides = SidesOfJoin(operators, one);
      if (sides.small == nullptr || sides.small_bytes > kSmallSide) continue;
      if (sides.large_bytes < kTimesLarger * std::max<int64_t>(1, sides.small_bytes)) continue;
      const int64_t time_ns = TimeOfStages(input, one.stages);
      if (time_ns <= worst.time_ns) continue;
      worst = {{&sql, one}, sides, one.stages, time_ns};
      worst.sides.small = worst.sides.large = nullptr;
    }
  }
  return worst;
}

}  // namespace

JoinSides SidesOfJoin(const std::vector<PlanOperator>& operators, const PlanOperator& join) {
  const std::string_view kind = join.kind;
  if (!kind.starts_with("SortMergeJoin") && !kind.starts_with("ShuffledHashJoin")) return {};
  if (join.inputs.size() != 2) return {};
  const PlanOperator* const left = ExchangeBelow(operators, join.inputs[0]);
  const PlanOperator* const right = ExchangeBelow(operators, join.inputs[1]);
  if (left == nullptr || right == nullptr) return {};
  const int64_t left_bytes = ValueOf(*left->plan, "data size").value_or(0);
  const int64_t right_bytes = ValueOf(*right->plan, "data size").value_or(0);
  if (left_bytes <= 0 || right_bytes <= 0) return {};
  const bool left_is_small = left_bytes < right_bytes;
  const auto has = [&](std::string_view type) { return join.plan->text.find(type) != std::string::npos; };
  if (has("FullOuter")) return {};
  const bool only_right = has("LeftOuter") || has("LeftSemi") || has("LeftAnti") || has("ExistenceJoin");
  if ((only_right && left_is_small) || (has("RightOuter") && !left_is_small)) return {};
  return left_is_small ? JoinSides{left, right, left_bytes, right_bytes}
                       : JoinSides{right, left, right_bytes, left_bytes};
}

std::optional<Finding> FindBroadcastableJoins(const FindingInput& input) {
  const JoinCandidate worst = WorstJoin(input);
  if (worst.time_ns < kWorthwhileNs) return std::nullopt;
  const Application& application = input.application;
  const std::string_view threshold = SettingOf(application, *worst.join.sql, kBroadcastThreshold).value_or("");
  Finding finding;
  finding.title = fmt::format("A join shuffles {} to join {}", FormatBytes(worst.sides.large_bytes),
                              FormatBytes(worst.sides.small_bytes));
  finding.what = fmt::format("{} shuffles and sorts both of its inputs, of which one has only {}",
                             OperatorText(worst.join), FormatBytes(worst.sides.small_bytes));
  finding.evidence = fmt::format("{:.200}; its stages take {}", worst.join.node().text, FormatDuration(worst.time_ns));
  if (!threshold.empty()) finding.evidence += fmt::format("; {}={}", kBroadcastThreshold, threshold);
  finding.condition = fmt::format(
      "A join shuffles both inputs, although one has at most {} and the other at least {} times as much, and the type "
      "of the join permits broadcasting the small one",
      FormatBytes(kSmallSide), kTimesLarger);
  PointAt(worst.join, &finding);
  const int64_t mebibytes = std::max<int64_t>(10, 2 * worst.sides.small_bytes >> 20);
  finding.change = threshold.starts_with('-')
                       ? fmt::format(
                             "Broadcast the small side: the job turns it off with {}={}. Remove that, or use "
                             "broadcast() on the small DataFrame",
                             kBroadcastThreshold, threshold)
                       : fmt::format("Broadcast the small side: broadcast() on the small DataFrame, or {}={}m",
                                     kBroadcastThreshold, mebibytes);
  // Reading, hashing and the work after the join remain.
  finding.claim = ClaimStages(input, worst.stages, worst.time_ns, kHalf);
  return finding;
}

}  // namespace sparkprof
