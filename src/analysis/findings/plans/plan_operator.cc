// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/rules.h"

namespace sparkprof {

std::optional<PlacedOperator> WorstOperator(const Application& application, const MeasureOfOperator& measure) {
  std::optional<PlacedOperator> worst;
  int64_t largest = 0;
  for (const SqlExecution& sql : application.sql_executions) {
    for (PlanOperator& one : OperatorsOf(sql.plan)) {
      const int64_t measured = measure(one);
      if (measured <= largest) continue;
      largest = measured;
      worst = {&sql, std::move(one)};
    }
  }
  return worst;
}

std::string OperatorText(const PlacedOperator& placed) {
  return fmt::format("{} of SQL execution {} ({})", placed.node().name, placed.sql->id,
                     CallInWords(placed.sql->description));
}

void PointAt(const PlacedOperator& placed, Finding* finding) {
  finding->selection.event = EventName(Event::kCpu);
  finding->selection.sql = placed.sql->id;
  finding->stages = placed.one.stages;
  if (!placed.sql->description.empty()) finding->frames = {ShortCallSite(placed.sql->description)};
}

const SqlExecution* ExecutionOf(const Application& application, int64_t id) {
  const std::vector<SqlExecution>& all = application.sql_executions;
  if (id < 0) return nullptr;
  const auto is_it = [&](const SqlExecution& one) { return one.id == id; };
  // Spark numbers executions as they start, which is the order of nearly all logs.
  const auto near = std::lower_bound(all.begin(), all.end(), id,
                                     [](const SqlExecution& one, int64_t wanted) { return one.id < wanted; });
  const auto found = near != all.end() && is_it(*near) ? near : std::ranges::find_if(all, is_it);
  return found == all.end() ? nullptr : &*found;
}

const SqlExecution* ExecutionOfStage(const Application& application, const Stage& stage) {
  return ExecutionOf(application, stage.sql_execution);
}

std::vector<PlanOperator> OperatorsOfStage(const Application& application, const Stage& stage) {
  std::vector<PlanOperator> ran;
  const SqlExecution* const sql = ExecutionOfStage(application, stage);
  if (sql == nullptr) return ran;
  for (PlanOperator& one : OperatorsOf(sql->plan)) {
    const bool ran_here = std::ranges::binary_search(one.stages, stage.id);
    if (one.stages.empty() || ran_here) ran.push_back(std::move(one));
  }
  return ran;
}

int64_t TimeOfStages(const FindingInput& input, const std::vector<int64_t>& stages) {
  int64_t time_ns = 0;
  for (size_t row = 0; row < input.stages.size(); ++row) {
    if (!Contains(stages, input.application.stages[row].id)) continue;
    time_ns += input.stages[row].wall_ns;
  }
  return time_ns;
}

void AddCostlyCalls(const PlanOperator& one, std::set<std::string>* calls) {
  static const re2::RE2 costly(
      R"(\b(?:RLIKE|regexp_\w+|get_json_object|from_json|from_csv|from_xml|parse_url|split|gettimestamp|unix_timestamp|)"
      R"(date_format|UDF)\()");
  static const re2::RE2 of_python(R"(\w+\()"), number(R"(#\d+L?)");
  constexpr size_t kMaxLength = 200;
  const re2::RE2& name = IsPythonOperator(one.kind) ? of_python : costly;
  re2::StringPiece text(one.plan->text), call;
  while (name.Match(text, 0, text.size(), re2::RE2::UNANCHORED, &call, 1)) {
    size_t end = static_cast<size_t>(call.data() - text.data()) + call.size();
    const size_t most = std::min(text.size(), end + kMaxLength);
    for (int depth = 1; end < most && depth > 0; ++end) depth += text[end] == '(' ? 1 : text[end] == ')' ? -1 : 0;
    std::string normalized(call.data(), static_cast<size_t>(text.data() + end - call.data()));
    re2::RE2::GlobalReplace(&normalized, number, "");
    calls->insert(std::move(normalized));
    text.remove_prefix(static_cast<size_t>(call.data() - text.data()) + call.size());
  }
}

}  // namespace sparkprof
