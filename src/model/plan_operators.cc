// SPDX-License-Identifier: Apache-2.0
#include "model/plan_operators.h"

#include <algorithm>
#include <charconv>

#include "engines/engines.h"

namespace sparkprof {
namespace {

constexpr std::string_view kCodegen = "WholeStageCodegen";

// Operators that return each row they read, but count none.
constexpr std::string_view kKeepRows[] = {
    "Project",
    "Sort",
    "Exchange",
    "ReusedExchange",
    "AQEShuffleRead",
    "CustomShuffleReader",
    "Union",
    "Coalesce",
    "Window",
    "ColumnarToRow",
    "RowToColumnar",
    "CollectMetrics",
    "BatchEvalPython",
    "ArrowEvalPython",
    "DeserializeToObject",
    "SerializeFromObject",
    "BroadcastExchange",
    "WriteFiles",
};
// Spark's names of metrics for an operator's rows; the first one present counts.
constexpr std::string_view kRowMetrics[] = {"number of output rows", "records read", "shuffle records written",
                                            "number of rows"};

bool IsOneOfOperators(std::string_view text, const auto& list) {
  return std::find(std::begin(list), std::end(list), text) != std::end(list);
}

bool IsWrapper(std::string_view kind) {
  return kind == kCodegen || kind == "InputAdapter" || kind == "AdaptiveSparkPlan" || kind.ends_with("QueryStage");
}

bool IsSubquery(std::string_view kind) { return kind.starts_with("Subquery") || kind.starts_with("ReusedSubquery"); }

// "WholeStageCodegen (3)" → 3
int32_t CodegenOf(const PlanNode& node) {
  const size_t open = node.name.find('(');
  int32_t number = 0;
  if (open != std::string::npos) {
    std::from_chars(node.name.data() + open + 1, node.name.data() + node.name.size(), number);
  }
  return number;
}

class Collector {
 public:
  std::vector<PlanOperator> Collect(const PlanNode& plan) {
    Visit(plan, {});
    FillStages();
    for (auto at = operators_.rbegin(); at != operators_.rend(); ++at) FillRows(&*at);
    return std::move(operators_);
  }

 private:
  struct Above {
    int32_t parent = -1;
    int32_t codegen = 0;
    bool is_subquery = false;
    bool is_copy = false;  // below a reused exchange: the operators are elsewhere in the plan
  };

  // The reader limits a plan's depth.
  void Visit(const PlanNode& node, Above above) {
    const std::string_view kind = KindOf(node);
    const int32_t number = next_node_++;
    if (kind == kCodegen) above.codegen = CodegenOf(node);
    if (kind == "InputAdapter") above.codegen = 0;
    above.is_subquery |= IsSubquery(kind);
    if (!IsWrapper(kind) && !above.is_copy) {
      const auto row = static_cast<int32_t>(operators_.size());
      PlanOperator& added = operators_.emplace_back();
      added.node = number;
      added.plan = &node;
      added.kind = kind;
      added.parent = above.parent;
      added.codegen = IsExchange(kind) ? 0 : above.codegen;
      added.is_subquery = above.is_subquery;
      added.stages = node.stages;
      if (above.parent >= 0 && !IsSubquery(kind)) operators_[static_cast<size_t>(above.parent)].inputs.push_back(row);
      above.parent = row;
    }
    if (IsExchange(kind)) above.codegen = 0;
    above.is_copy |= kind.starts_with("Reused");
    for (const PlanNode& child : node.children) Visit(child, above);
  }

  void FillStages() {
    for (auto at = operators_.rbegin(); at != operators_.rend(); ++at) {
      if (!at->stages.empty() || at->inputs.empty() || IsExchange(at->kind)) continue;
      const PlanOperator& input = operators_[static_cast<size_t>(at->inputs.front())];
      if (!IsExchange(input.kind)) at->stages = input.stages;
    }
    for (PlanOperator& one : operators_) {
      if (!one.stages.empty() || one.parent < 0 || IsExchange(one.kind) || IsSubquery(one.kind)) continue;
      const PlanOperator& parent = operators_[static_cast<size_t>(one.parent)];
      // An exchange belongs to the stage that writes it, the first one, and to those that read it.
      one.stages = parent.stages;
      if (IsExchange(parent.kind) && one.stages.size() > 1) one.stages.resize(1);
    }
  }

  void FillRows(PlanOperator* one) const {
    std::optional<int64_t> in = one->inputs.empty() ? std::nullopt : std::optional<int64_t>(0);
    int64_t first_rows = 0, last_rows = 0;
    for (const int32_t input : one->inputs) {
      const std::optional<int64_t>& rows = operators_[static_cast<size_t>(input)].rows_out;
      in = in && rows ? std::optional<int64_t>(*in + *rows) : std::nullopt;
      first_rows = last_rows;
      last_rows = rows.value_or(0);
    }
    one->rows_in = in;
    int64_t pairs = 0;
    if (in && one->inputs.size() == 2 && !__builtin_mul_overflow(first_rows, last_rows, &pairs)) one->row_pairs = pairs;
    one->spill_bytes = ValueOf(*one->plan, "spill size");
    const std::string_view own_metric = RowsMetricOf(*one->plan);
    if ((one->rows_out = ValueOf(*one->plan, own_metric))) return;
    for (const std::string_view metric : kRowMetrics) {
      if ((one->rows_out = ValueOf(*one->plan, metric))) return;
    }
    const bool counts_rows = std::any_of(one->plan->metrics.begin(), one->plan->metrics.end(),
                                         [&](const PlanMetric& metric) { return metric.name == own_metric; });
    // Spark omits counters that are still 0 from its events.
    if (counts_rows && !one->stages.empty()) {
      one->rows_out = 0;
    } else if (IsOneOfOperators(one->kind, kKeepRows)) {
      one->rows_out = in;
    }
  }

  std::vector<PlanOperator> operators_;
  int32_t next_node_ = 0;
};

}  // namespace

std::vector<PlanOperator> OperatorsOf(const PlanNode& plan) {
  return plan.name.empty() ? std::vector<PlanOperator>() : Collector().Collect(plan);
}

std::string_view KindOf(const PlanNode& node) {
  const std::string_view name = node.name;
  return SparkKindOf(name.substr(0, name.find(' ')));
}

std::string_view RowsMetricOf(const PlanNode& node) {
  const Engine* const engine = EngineOfOperator(node.name);
  return engine == nullptr ? kRowMetrics[0] : engine->rows;
}

bool IsExchange(std::string_view kind) { return kind.find("Exchange") != std::string_view::npos; }

bool IsPythonOperator(std::string_view kind) {
  return kind.find("Python") != std::string_view::npos || kind.find("InPandas") != std::string_view::npos ||
         kind.find("InArrow") != std::string_view::npos || kind.find("PySpark") != std::string_view::npos;
}

bool GetsArrowBatches(std::string_view kind) {
  constexpr std::string_view kBatches[] = {"ArrowEvalPython", "MapInPandas", "MapInArrow", "PythonMapInArrow"};
  return IsOneOfOperators(kind, kBatches);
}

bool IsWrite(std::string_view kind) {
  constexpr std::string_view kWrites[] = {"Execute",    "WriteFiles", "AppendData", "WriteToDataSourceV2",
                                          "WriteDelta", "ReplaceData"};
  return IsOneOfOperators(kind, kWrites) || kind.starts_with("Overwrite") || kind.ends_with("TableAsSelect") ||
         kind.starts_with("Insert");
}

std::optional<int64_t> ValueOf(const PlanNode& node, std::string_view metric) {
  for (const PlanMetric& each : node.metrics) {
    if (each.name == metric && each.has_value) return static_cast<int64_t>(each.value);
  }
  return std::nullopt;
}

}  // namespace sparkprof
