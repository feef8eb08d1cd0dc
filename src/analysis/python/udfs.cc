// SPDX-License-Identifier: Apache-2.0
#include "analysis/python/udfs.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/plans/plan_text.h"
#include "analysis/python/driver_lines.h"
#include "base/text/contains.h"
#include "base/text/text.h"
#include "model/task_index.h"

namespace sparkprof {
namespace {

struct NamedType {
  int32_t number;
  const char* name;
};

// pyspark.util.PythonEvalType of 4.1, which includes those of 3.x.
constexpr NamedType kTypes[] = {{0, "NON_UDF"},
                                {100, "SQL_BATCHED_UDF"},
                                {101, "SQL_ARROW_BATCHED_UDF"},
                                {200, "SQL_SCALAR_PANDAS_UDF"},
                                {201, "SQL_GROUPED_MAP_PANDAS_UDF"},
                                {202, "SQL_GROUPED_AGG_PANDAS_UDF"},
                                {203, "SQL_WINDOW_AGG_PANDAS_UDF"},
                                {204, "SQL_SCALAR_PANDAS_ITER_UDF"},
                                {205, "SQL_MAP_PANDAS_ITER_UDF"},
                                {206, "SQL_COGROUPED_MAP_PANDAS_UDF"},
                                {207, "SQL_MAP_ARROW_ITER_UDF"},
                                {208, "SQL_GROUPED_MAP_PANDAS_UDF_WITH_STATE"},
                                {209, "SQL_GROUPED_MAP_ARROW_UDF"},
                                {210, "SQL_COGROUPED_MAP_ARROW_UDF"},
                                {211, "SQL_TRANSFORM_WITH_STATE_PANDAS_UDF"},
                                {212, "SQL_TRANSFORM_WITH_STATE_PANDAS_INIT_STATE_UDF"},
                                {213, "SQL_TRANSFORM_WITH_STATE_PYTHON_ROW_UDF"},
                                {214, "SQL_TRANSFORM_WITH_STATE_PYTHON_ROW_INIT_STATE_UDF"},
                                {215, "SQL_GROUPED_MAP_ARROW_ITER_UDF"},
                                {216, "SQL_GROUPED_MAP_PANDAS_ITER_UDF"},
                                {250, "SQL_SCALAR_ARROW_UDF"},
                                {251, "SQL_SCALAR_ARROW_ITER_UDF"},
                                {252, "SQL_GROUPED_AGG_ARROW_UDF"},
                                {253, "SQL_WINDOW_AGG_ARROW_UDF"},
                                {300, "SQL_TABLE_UDF"},
                                {301, "SQL_ARROW_TABLE_UDF"},
                                {302, "SQL_ARROW_UDTF"}};

// Up to 3.10, a frame has only the last part of its function's name.
std::string_view LastPart(std::string_view name) { return name.substr(name.rfind('.') + 1); }

using FunctionKey = std::tuple<std::string, std::string, int64_t>;  // name, file, line
constexpr int32_t kNoFunction = -1;

// Finds the user's functions in stacks.
class CostedFunctions {
 public:
  explicit CostedFunctions(const Application& application) : application_(application) {
    for (const Udf& udf : application.udfs) {
      const auto [place, is_new] = ids_.try_emplace({udf.name, udf.file, udf.line}, static_cast<int32_t>(ids_.size()));
      if (is_new) by_place_[{udf.file, std::string(LastPart(udf.name))}][udf.line] = place->second;
    }
    of_frame_.assign(application.profile.frames.Size(), kNoFunction);
    for (size_t id = 1; id < of_frame_.size(); ++id)
      of_frame_[id] = Match(application.profile.frames.Get(static_cast<FrameId>(id)));
    of_stack_.assign(application.profile.stacks.Size(), kNoFunction);
    for (size_t id = 1; id < of_stack_.size(); ++id) {
      const StackTable::Node& node = application.profile.stacks.Get(static_cast<StackId>(id));
      of_stack_[id] = of_stack_[node.parent] != kNoFunction ? of_stack_[node.parent] : of_frame_[node.frame];
    }
  }

  int32_t Id(const Udf& udf) const { return ids_.at({udf.name, udf.file, udf.line}); }
  // The outermost function of the stack, or kNoFunction.
  int32_t InStack(StackId stack) const { return of_stack_[stack]; }

 private:
  int32_t Match(const Frame& frame) const {
    if (frame.kind != FrameKind::kPython) return kNoFunction;
    const auto place = by_place_.find({std::string(application_.profile.strings.Get(frame.file)),
                                       std::string(LastPart(application_.profile.strings.Get(frame.name)))});
    if (place == by_place_.end()) return kNoFunction;
    if (frame.line == 0) return place->second.begin()->second;
    const auto next = place->second.upper_bound(frame.line);
    return next == place->second.begin() ? kNoFunction : std::prev(next)->second;
  }

  const Application& application_;
  std::map<FunctionKey, int32_t> ids_;
  std::map<std::pair<std::string, std::string>, std::map<int64_t, int32_t>> by_place_;  // ID by (file, name) and line
  std::vector<int32_t> of_frame_;
  std::vector<int32_t> of_stack_;
};

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
  const auto* entry =
      std::ranges::find_if(kNodes, [&](const NodesOfType& of_type) { return of_type.eval_type == eval_type; });
  if (entry == std::end(kNodes)) return false;
  const std::vector<std::string_view> names = Split(entry->nodes, ' ');
  return Contains(names, node);
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
    const auto metric = std::ranges::find_if(node.metrics, [](const PlanMetric& each) { return each.name == kRows; });
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
    return std::ranges::any_of(a, [&](int64_t stage) { return std::ranges::binary_search(b, stage); });
  }

  std::vector<UdfCost>* costs_;
  std::vector<std::string> names_;
  std::set<int64_t> seen_;  // accumulators
  std::set<size_t> ambiguous_;
};

}  // namespace

std::string LabelOf(const UdfCost& udf) {
  if (udf.line == 0) return udf.name;
  return fmt::format("{} ({}:{})", udf.name, std::string_view(udf.file).substr(udf.file.rfind('/') + 1), udf.line);
}

std::string EvalTypeName(int32_t eval_type) {
  for (const NamedType& type : kTypes) {
    if (type.number == eval_type) return type.name;
  }
  return "EVAL_TYPE_" + std::to_string(eval_type);
}

std::vector<UdfCost> CostOfUdfs(const Application& application) {
  const CostedFunctions functions(application);
  const TaskIndex tasks(application.tasks);
  std::map<std::pair<int32_t, int32_t>, size_t> rows;         // by function and eval type
  std::map<std::pair<int64_t, int32_t>, size_t> row_of_task;  // by TID and function
  std::map<int32_t, size_t> row_of_function;                  // first row by function
  std::vector<UdfCost> costs;
  std::vector<std::set<int64_t>> stages;
  for (const Udf& udf : application.udfs) {
    const int32_t function = functions.Id(udf);
    const auto [place, is_new] = rows.try_emplace({function, udf.eval_type}, costs.size());
    if (is_new) {
      costs.push_back({udf.name, udf.file, udf.line, udf.eval_type, {}, 0, 0, 0, {}});
      stages.emplace_back();
    }
    row_of_task.try_emplace({udf.task, function}, place->second);
    row_of_function.try_emplace(function, place->second);
    const int32_t task = tasks.Row(udf.task);
    const int32_t stage = task < 0 ? -1 : application.tasks.stage[static_cast<size_t>(task)];
    if (stage >= 0) stages[place->second].insert(application.stages[static_cast<size_t>(stage)].id);
  }
  const Profile& profile = application.profile;
  const EventId cpu = profile.Row(Event::kCpu), wall = profile.Row(Event::kWall);
  for (const Sample& sample : application.python_samples) {
    const int32_t function = functions.InStack(sample.stack);
    if (function == kNoFunction) continue;
    const auto of_task = row_of_task.find({profile.tasks[sample.task].task, function});
    UdfCost& cost = costs[of_task != row_of_task.end() ? of_task->second : row_of_function.at(function)];
    if (sample.event == cpu) cost.cpu_ns += sample.weight;
    if (sample.event != wall) continue;
    cost.wall_ns += sample.weight;
    cost.samples += sample.count;
  }
  for (size_t row = 0; row < costs.size(); ++row) costs[row].stages.assign(stages[row].begin(), stages[row].end());
  FillRows(application, &costs);
  std::ranges::stable_sort(costs, [](const UdfCost& a, const UdfCost& b) {
    return std::tie(a.cpu_ns, a.wall_ns) > std::tie(b.cpu_ns, b.wall_ns);
  });
  return costs;
}

int64_t CpuOfPythonWorkers(const Application& application) {
  const DriverPrograms programs(application);
  const EventId cpu = application.profile.Row(Event::kCpu);
  int64_t sum_ns = 0;
  for (const Sample& sample : application.python_samples) {
    if (sample.event == cpu && !programs.Has(sample)) sum_ns += sample.weight;
  }
  return sum_ns;
}

void FillRows(const Application& application, std::vector<UdfCost>* costs) {
  RowCounter counter(costs);
  for (const SqlExecution& execution : application.sql_executions) counter.Visit(execution.plan);
  counter.Finish();
}

}  // namespace sparkprof
