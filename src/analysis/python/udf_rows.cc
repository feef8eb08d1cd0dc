// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "analysis/plans/plan_text.h"
#include "analysis/python/udfs.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr std::string_view kRows = "number of output rows";  // PythonSQLMetrics.scala

struct NodesOfType {
  int32_t eval_type;
  std::string_view nodes;  // names of Spark's physical operators, 3.0 to 4.1, space-separated
};
constexpr NodesOfType kNodes[] = {
    {100, "BatchEvalPython"},
    {101, "ArrowEvalPython"},
    {200, "ArrowEvalPython"},
    {201, "FlatMapGroupsInPandas"},
    {202, "AggregateInPandas ArrowAggregatePython"},
    {203, "WindowInPandas ArrowWindowPython"},
    {204, "ArrowEvalPython"},
    {205, "MapInPandas"},
    {206, "FlatMapCoGroupsInPandas"},
    {207, "MapInArrow PythonMapInArrow"},
    {208, "FlatMapGroupsInPandasWithState"},
    {209, "FlatMapGroupsInArrow"},
    {210, "FlatMapCoGroupsInArrow"},
    {211, "TransformWithStateInPandas"},
    {212, "TransformWithStateInPandas"},
    {213, "TransformWithStateInPySpark"},
    {214, "TransformWithStateInPySpark"},
    {215, "FlatMapGroupsInArrow"},
    {216, "FlatMapGroupsInPandas"},
    {250, "ArrowEvalPython"},
    {251, "ArrowEvalPython"},
    {252, "AggregateInPandas ArrowAggregatePython"},
    {253, "WindowInPandas ArrowWindowPython"},
    {300, "BatchEvalPythonUDTF"},
    {301, "ArrowEvalPythonUDTF"},
    {302, "ArrowEvalPythonUDTF"},
};

bool Runs(std::string_view node, int32_t eval_type) {
  const auto* entry = std::find_if(std::begin(kNodes), std::end(kNodes),
                                   [&](const NodesOfType& of_type) { return of_type.eval_type == eval_type; });
  if (entry == std::end(kNodes)) return false;
  const std::vector<std::string_view> names = Split(entry->nodes, ' ');
  return std::find(names.begin(), names.end(), node) != names.end();
}

// The function's name in a plan: Python's __name__, or a table function's class name.
std::string NameInPlan(const UdfCost& cost) {
  std::string_view name = cost.name;
  const size_t dot = name.rfind('.');
  if (dot != std::string_view::npos) {
    const bool is_class = cost.eval_type >= 300;
    name = is_class ? name.substr(0, dot) : name.substr(dot + 1);
    name = name.substr(name.rfind('.') + 1);
  }
  return std::string(name);
}

class RowCounter {
 public:
  explicit RowCounter(std::vector<UdfCost>* costs) : costs_(costs) {
    for (const UdfCost& cost : *costs) names_.push_back(NameInPlan(cost));
  }

  void Visit(const PlanNode& node) {
    for (const PlanNode& child : node.children) Visit(child);
    const auto metric = std::find_if(node.metrics.begin(), node.metrics.end(),
                                     [](const PlanMetric& each) { return each.name == kRows; });
    if (metric == node.metrics.end() || !metric->has_value) return;
    // The same node may occur in several plans (reuse, adaptive execution).
    if (!seen_.insert(metric->accumulator).second) return;
    std::map<std::string, std::vector<size_t>> called;  // by name
    for (size_t i = 0; i < costs_->size(); ++i) {
      const UdfCost& cost = (*costs_)[i];
      if (Runs(node.name, cost.eval_type) && ShareStage(node.stages, cost.stages) &&
          CallsFunction(node.text, names_[i])) {
        called[names_[i]].push_back(i);
      }
    }
    for (const auto& [name, functions] : called) {
      for (const size_t i : functions) {
        if (functions.size() > 1) ambiguous_.insert(i);
        std::optional<int64_t>& rows = (*costs_)[i].rows;
        rows = rows.value_or(0) + static_cast<int64_t>(metric->value);
      }
    }
  }

  void Finish() {
    for (const size_t i : ambiguous_) (*costs_)[i].rows.reset();
  }

 private:
  // Both lists are ascending.
  static bool ShareStage(const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](int64_t stage) { return std::binary_search(b.begin(), b.end(), stage); });
  }

  std::vector<UdfCost>* costs_;
  std::vector<std::string> names_;
  std::set<int64_t> seen_;  // accumulators
  std::set<size_t> ambiguous_;
};

}  // namespace

void FillRows(const Application& application, std::vector<UdfCost>* costs) {
  RowCounter counter(costs);
  for (const SqlExecution& execution : application.sql_executions) counter.Visit(execution.plan);
  counter.Finish();
}

}  // namespace sparkprof
