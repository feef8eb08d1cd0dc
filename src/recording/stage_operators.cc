// SPDX-License-Identifier: Apache-2.0
#include "recording/stage_operators.h"

#include <algorithm>

#include "engines/engines.h"
#include "model/plan_operators.h"

namespace sparkprof {

StageOperators::StageOperators(const Application& application)
    : profile_(application.profile), stages_(application.TaskRows()), operators_(application.stages.size()) {
  for (int32_t& row : stages_) row = row < 0 ? -1 : application.tasks.stage[static_cast<size_t>(row)];
  std::map<int64_t, std::vector<size_t>> rows_of_query;
  for (size_t row = 0; row < application.stages.size(); ++row) {
    rows_of_query[application.stages[row].sql_execution].push_back(row);
  }
  for (const SqlExecution& query : application.sql_executions) {
    const auto rows = rows_of_query.find(query.id);
    if (rows == rows_of_query.end()) continue;
    for (const PlanOperator& one : OperatorsOf(query.plan)) {
      for (const size_t row : rows->second) {
        const bool can_run =
            one.stages.empty() || std::binary_search(one.stages.begin(), one.stages.end(), application.stages[row].id);
        if (can_run) operators_[row].push_back(one.plan->name);
      }
    }
  }
}

bool StageOperators::Runs(uint32_t task, FrameId function) {
  const int32_t stage = task < stages_.size() ? stages_[task] : -1;
  if (stage < 0) return false;
  const auto [known, is_new] = runs_.emplace(std::pair(stage, function), false);
  if (is_new) {
    const std::string_view name = profile_.strings.Get(profile_.frames.Get(function).name);
    const std::vector<std::string_view>& operators = operators_[static_cast<size_t>(stage)];
    known->second = std::any_of(operators.begin(), operators.end(),
                                [&](std::string_view one) { return IsFrameOfOperator(name, one); });
  }
  return known->second;
}

}  // namespace sparkprof
