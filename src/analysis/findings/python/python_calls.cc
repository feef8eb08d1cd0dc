// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/python/python_work.h"
#include "analysis/findings/rules.h"

namespace sparkprof {
namespace {

// The calls in the first brackets of "BatchEvalPython [risk(id#0L)#2L, f(a#1, g(b#3)#4)#5], [pythonUDF0#7L]", without
// the numbers of results except for lambdas, which all have the same name.
std::vector<std::string_view> CallsOf(std::string_view text) {
  std::vector<std::string_view> calls;
  size_t begin = text.find('[');
  if (begin == std::string_view::npos) return calls;
  int depth = 0;
  for (size_t at = ++begin; at < text.size() && depth >= 0; ++at) {
    if (text[at] == '(' || text[at] == '[') ++depth;
    if (text[at] == ')' || text[at] == ']') --depth;
    const bool is_end = depth < 0 || (depth == 0 && text[at] == ',');
    if (!is_end) continue;
    const std::string_view call = text.substr(begin, at - begin);
    const size_t number = call.rfind(")#");
    const bool is_named = !call.starts_with("<lambda>");
    if (number != std::string_view::npos) calls.push_back(is_named ? call.substr(0, number + 1) : call);
    begin = std::min(text.size(), at + 2);
  }
  return calls;
}

}  // namespace

RepeatedCall CallOfMostOperators(const Application& application, const Stage& stage) {
  std::map<std::string, int64_t> by_call;
  for (const PlanOperator& one : OperatorsOfStage(application, stage)) {
    if (!one.kind.ends_with("EvalPython")) continue;
    // Within an operator, equal calls are different functions with one name.
    std::set<std::string> calls;
    for (const std::string_view call : CallsOf(one.plan->text)) calls.emplace(call);
    for (const std::string& call : calls) ++by_call[call];
  }
  RepeatedCall most;
  for (const auto& [call, operators] : by_call) {
    if (operators > std::max<int64_t>(1, most.count)) most = {call.substr(0, call.find('(')), operators};
  }
  return most;
}

std::string GuardedCall(const Application& application, const Stage& stage) {
  static const re2::RE2 in_guard(R"((?:CASE WHEN|if \(|coalesce\()[^,]*?\bpythonUDF(\d+)#)"), call(R"((\w+)\()");
  const std::vector<PlanOperator> operators = OperatorsOfStage(application, stage);
  for (const PlanOperator& one : operators) {
    size_t index = 0;
    if (!re2::RE2::PartialMatch(one.plan->text, in_guard, &index)) continue;
    for (const PlanOperator& python : operators) {
      if (!python.kind.ends_with("EvalPython")) continue;
      const std::vector<std::string_view> calls = CallsOf(python.plan->text);
      std::string function;
      if (index < calls.size() && re2::RE2::PartialMatch(calls[index], call, &function)) return function;
    }
  }
  return {};
}

RepeatedCall CallOfMostQueries(const Application& application, const Stage& stage) {
  constexpr size_t kMaxQueries = 200;  // the plans of all of them are compared for each stage
  RepeatedCall most;
  if (application.sql_executions.size() > kMaxQueries || !application.streaming_queries.empty()) return most;
  const auto calls_in = [](const std::vector<PlanOperator>& operators) {
    std::set<std::string> calls;
    for (const PlanOperator& one : operators) {
      if (one.kind.ends_with("EvalPython")) AddCostlyCalls(one, &calls);
    }
    return calls;
  };
  const std::set<std::string> of_stage = calls_in(OperatorsOfStage(application, stage));
  if (of_stage.empty()) return most;
  std::map<std::string, int64_t> by_call;
  for (const SqlExecution& sql : application.sql_executions) {
    for (const std::string& call : calls_in(OperatorsOf(sql.plan))) {
      if (of_stage.contains(call) && ++by_call[call] > std::max<int64_t>(1, most.count))
        most = {call.substr(0, call.find('(')), by_call[call]};
    }
  }
  return most;
}

}  // namespace sparkprof
