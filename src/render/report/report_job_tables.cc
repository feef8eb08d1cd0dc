// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "analysis/machines/neighbors.h"
#include "analysis/plans/engine_times.h"
#include "analysis/tables/tables.h"
#include "render/report/report_tables.h"
#include "render/writers/table_writers.h"

namespace sparkprof {
namespace {

void WriteNeighbors(const std::vector<NeighborUse>& uses, JsonWriter* json) {
  json->Key("neighbors").BeginArray();
  for (const NeighborUse& use : uses) {
    const Neighbor& neighbor = *use.neighbor;
    json->BeginObject()
        .Member("host", neighbor.host)
        .Member("application", neighbor.application_id)
        .Member("user", neighbor.user)
        .Member("name", neighbor.name)
        .Member("processes", neighbor.processes)
        .Member("cores", use.cores)
        .Member("hostCores", neighbor.host_cores)
        .Member("diskBytesPerSecond", use.disk_bytes_per_second)
        .EndObject();
  }
  json->EndArray();
}

// Parts of a stage that only the page needs.
void WriteStageParts(const Application& application, const Stage& stage, const StageSummary& summary,
                     JsonWriter* json) {
  json->Member("parents", stage.parents);
  json->Key("totals").BeginObject();
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    json->Member(Text(static_cast<TaskMetric>(metric)).name, summary.totals[metric]);
  }
  json->EndObject().Key("quantiles").BeginObject();
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const Quantiles of = summary.Of(static_cast<TaskMetric>(metric));
    if (of.min == 0 && of.max == 0) continue;
    json->Member(Text(static_cast<TaskMetric>(metric)).name,
                 std::initializer_list<int64_t>{of.min, of.p25, of.p50, of.p75, of.max});
  }
  json->EndObject()
      .Member("cpuSamplesNs", summary.cpu_samples_ns)
      .Member("pythonWaitNs", summary.python_wait_ns)
      .Member("pythonRunnableNs", summary.python_runnable_ns);
  // Most recordings have no node beside them.
  const std::vector<NeighborUse> neighbors = NeighborsOfTasks(application, summary.tasks);
  if (!neighbors.empty()) WriteNeighbors(neighbors, json);
}

std::string_view PlanUnit(std::string_view type) {
  if (type == "size") return "bytes";
  return type == "timing" || type == "nsTiming" ? "ns" : "count";
}

void WriteKnown(std::string_view key, const std::optional<int64_t>& value, JsonWriter* json) {
  if (value) json->Member(key, *value);
}

// Writes the nodes of one plan, whose operators follow each other from row `next` on.
class PlanWriter {
 public:
  PlanWriter(const OperatorCosts& operators, const std::vector<std::optional<EngineFallback>>& fallbacks, size_t first,
             JsonWriter* json)
      : operators_(operators), fallbacks_(fallbacks), next_(first), json_(json) {}

  void Write(const PlanNode& node);

 private:
  // The operator's own cost; wrappers cost nothing.
  void WriteCost(const PlanNode& node);

  const OperatorCosts& operators_;
  const std::vector<std::optional<EngineFallback>>& fallbacks_;  // by operator
  size_t next_;
  JsonWriter* json_;
};

void PlanWriter::WriteCost(const PlanNode& node) {
  if (next_ == operators_.operators.size() || operators_.operators[next_].one.plan != &node) return;
  const PlanOperator& one = operators_.operators[next_].one;
  const OperatorCost& cost = operators_.costs[next_];
  const std::optional<EngineFallback>& fallback = fallbacks_[next_];
  ++next_;
  json_->Member("operator", next_);
  WriteKnown("cpuNs", cost.cpu_ns, json_);
  WriteKnown("waitNs", cost.wait_ns, json_);
  WriteKnown("elapsedNs", cost.elapsed_ns, json_);
  WriteKnown("gpuNs", cost.gpu_ns, json_);
  WriteKnown("nativeNs", cost.native_ns, json_);
  WriteKnown("inclusiveNs", cost.inclusive_ns, json_);
  WriteKnown("rowsIn", one.rows_in, json_);
  WriteKnown("rowsOut", one.rows_out, json_);
  WriteKnown("spillBytes", one.spill_bytes, json_);
  if (fallback) {
    json_->Key("fallback").BeginObject().Member("reason", fallback->reason);
    WriteKnown("costNs", fallback->cost_ns, json_);
    json_->EndObject();
  }
}

void PlanWriter::Write(const PlanNode& node) {
  json_->BeginObject().Member("name", node.name).Member("text", node.text);
  WriteCost(node);
  json_->Key("metrics").BeginArray();
  for (const PlanMetric& metric : node.metrics) {
    json_->BeginObject().Member("name", metric.name);
    json_->MemberOrNull("value", metric.has_value, metric.value).Member("unit", PlanUnit(metric.type)).EndObject();
  }
  json_->EndArray();
  json_->Member("stages", node.stages);
  json_->Key("children").BeginArray();
  for (const PlanNode& child : node.children) Write(child);
  json_->EndArray().EndObject();
}

Table WithCosts(Table table, const Application& application, const Answers& answers) {
  if (answers.costs) AddCostColumn(application, *answers.costs, &table);
  return table;
}

}  // namespace

void WriteRows(const Table& table, const std::vector<uint32_t>& rows, const std::function<void(uint32_t)>& write_more,
               JsonWriter* json) {
  json->Key(table.name).BeginArray();
  for (const uint32_t row : rows) {
    json->BeginObject();
    WritePageCells(table, row, json);
    if (write_more) write_more(row);
    json->EndObject();
  }
  json->EndArray();
}

void WriteJobs(const Application& application, const Answers& answers, const ChosenRows& rows, JsonWriter* json) {
  WriteRows(WithCosts(JobsTable(application), application, answers), rows.jobs, {}, json);
  const auto write_parts = [&](uint32_t row) {
    WriteStageParts(application, application.stages[row], answers.stages[row], json);
  };
  WriteRows(WithCosts(StagesTable(application), application, answers), rows.stages, write_parts, json);
}

void WriteSql(const Application& application, const Answers& answers, const OperatorCosts& operators,
              const ChosenRows& rows, JsonWriter* json) {
  std::vector<size_t> first_operators(application.sql_executions.size());
  for (size_t row = operators.operators.size(); row-- > 0;) {
    first_operators[static_cast<size_t>(operators.operators[row].sql)] = row;
  }
  const std::vector<std::optional<EngineFallback>> fallbacks = FallbacksOf(application, operators);
  const auto write_plan = [&](uint32_t row) {
    json->Key("plan");
    PlanWriter(operators, fallbacks, first_operators[row], json).Write(application.sql_executions[row].plan);
  };
  WriteRows(WithCosts(SqlTable(application), application, answers), rows.sql_executions, write_plan, json);
}

}  // namespace sparkprof
