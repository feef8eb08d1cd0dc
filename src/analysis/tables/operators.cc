// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/engine_times.h"
#include "analysis/plans/operator_costs.h"
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"
#include "base/text/text.h"
#include "engines/engines.h"

namespace sparkprof {
namespace {

std::string MeasuredJson(const OperatorCost& cost) {
  JsonWriter json;
  json.BeginArray();
  const auto millis = [](int64_t ns) { return std::get<double>(TenthsOfMillisCell(ns)); };
  for (const MeasuredTime& measured : cost.measured) {
    json.BeginObject()
        .Member("metric", measured.metric)
        .Member("metricMs", millis(measured.metric_ns))
        .Key("sampledMs");
    if (measured.sampled_ns) {
      json.Value(millis(*measured.sampled_ns));
    } else {
      json.Null();
    }
    json.EndObject();
  }
  return json.EndArray().Take();
}

// {"reason","costMs"}, null for what is no fallback.
std::string FallbackJson(const std::optional<EngineFallback>& fallback) {
  if (!fallback) return "null";
  JsonWriter json;
  json.BeginObject().Key("reason");
  if (fallback->reason.empty()) {
    json.Null();
  } else {
    json.Value(fallback->reason);
  }
  json.Key("costMs");
  if (fallback->cost_ns) {
    json.Value(std::get<double>(TenthsOfMillisCell(*fallback->cost_ns)));
  } else {
    json.Null();
  }
  return json.EndObject().Take();
}

// The rest of the CPU time. Empty if no task counted any.
std::string CpuNote(const Application& application, const OperatorCosts& costs) {
  if (costs.cpu_ns > 0) {
    return fmt::format(
        "{} of the {} of CPU time of SQL tasks ({}) is outside the operators' code: starting tasks, compiling "
        "generated "
        "code, sending results.\n",
        FormatDuration(costs.unassigned_cpu_ns), FormatDuration(costs.cpu_ns),
        FormatShare(static_cast<double>(costs.unassigned_cpu_ns) / static_cast<double>(costs.cpu_ns)));
  }
  if (costs.operators.empty()) return {};
  int64_t counted_ns = 0;
  for (const int64_t cpu_ns : application.tasks.Column(TaskMetric::kExecutorCpuTime)) counted_ns += cpu_ns;
  if (counted_ns == 0) return {};
  return fmt::format(
      "The tasks used {} of CPU time. Event logs do not divide it among operators: cpuMs requires a recording with CPU "
      "samples.\n",
      FormatDuration(counted_ns));
}

}  // namespace

Table OperatorsTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto costs = std::make_shared<const OperatorCosts>(CostOfOperators(application));
  const auto fallbacks =
      std::make_shared<const std::vector<std::optional<EngineFallback>>>(FallbacksOf(application, *costs));
  const auto text = [costs](auto make) { return TextCells(costs->operators.size(), make); };
  const auto one = [costs](size_t row) -> const PlanOperator& { return costs->operators[row].one; };
  const auto number = [one](auto PlanOperator::*member) {
    return [one, member](size_t row) { return OptionalCell(one(row).*member); };
  };
  const auto time = [costs](std::optional<int64_t> OperatorCost::*member) {
    return [costs, member](size_t row) { return TenthsOfMillisCell(costs->costs[row].*member); };
  };
  const auto engine = [one](size_t row) {
    const Engine* const found = EngineOfOperator(one(row).plan->name);
    return Cell(found == nullptr ? std::string_view("spark") : found->name);
  };
  const auto vendor = [costs](size_t row) {
    const OperatorCost& cost = costs->costs[row];
    return TenthsOfMillisCell(cost.gpu_ns ? cost.gpu_ns : cost.native_ns);
  };
  const auto sql = [&application, costs](size_t row) {
    return Cell(application.sql_executions[static_cast<size_t>(costs->operators[row].sql)].id);
  };
  return {.name = "operators",
          .rows = costs->operators.size(),
          .columns =
              {
                  {"sql", "SQL execution", kInteger, kShown, sql, ColumnRole::kSql},
                  {"node", "position in the plan, nodeId of Spark's REST API", kInteger, kShown,
                   [one](size_t row) { return Cell(int64_t{one(row).node}); }, ColumnRole::kNode},
                  {"name", "name as in the plan", kText, kShown,
                   [one](size_t row) { return Cell(Trim(one(row).plan->name)); }},
                  {"stages", "stages that ran it; empty for the driver's work", kJson, kShown,
                   text([one](size_t row) { return IdsJson(one(row).stages); }), ColumnRole::kStage},
                  {"cpuMs", "CPU time of its own code in the JVM and in Python workers, by samples", kMillis, kShown,
                   time(&OperatorCost::cpu_ns)},
                  {"waitMs",
                   "time in which neither the task's thread nor its Python worker ran; without samples, the fetch wait "
                   "of an exchange",
                   kMillis, kShown, time(&OperatorCost::wait_ns)},
                  {"elapsedMs",
                   "elapsed time that Spark measures for it: sort, building of aggregations and hash tables, scan, "
                   "shuffle write, broadcast, commit of a write",
                   kMillis, kShown, time(&OperatorCost::elapsed_ns)},
                  {"gpuMs",
                   "time that RAPIDS measures: op time, for scans GPU decode time, for shuffles writing and reading",
                   kMillis, kShown, time(&OperatorCost::gpu_ns)},
                  {"nativeMs",
                   "time that a native engine measures: exclusive time of Photon, the operator times of Comet, Auron "
                   "and Gluten",
                   kMillis, kShown, time(&OperatorCost::native_ns)},
                  {"inclusiveMs",
                   "elapsed time with the operators below it: a broadcast that runs the jobs of its input, Python "
                   "workers that wait for rows, conversions of rows that read them from Spark",
                   kMillis, kShown, time(&OperatorCost::inclusive_ns)},
                  {"rowsIn", "rows of its inputs", kInteger, kShown, number(&PlanOperator::rows_in)},
                  {"rowsOut", "rows that it returned", kInteger, kShown, number(&PlanOperator::rows_out)},
                  {"spillBytes", "bytes that it spilled", kBytes, kShown, number(&PlanOperator::spill_bytes)},
                  {"engine", "engine that runs it: spark, or one of the tables in engines/", kText, kHidden, engine},
                  {"vendorMs", "gpuMs or nativeMs, whichever the engine measures", kMillis, kHidden, vendor},
                  {"fallback",
                   "of an operator that Spark runs in a plan of an engine: the engine's reason, if the log has it, and "
                   "the time of it and of the conversions of rows beside it (costMs); otherwise null",
                   kJson, kHidden, text([fallbacks](size_t row) { return FallbackJson((*fallbacks)[row]); })},
                  {"measured",
                   "metrics behind these times (metric, metricMs), and the samples of the same code (sampledMs)", kJson,
                   kHidden, text([costs](size_t row) { return MeasuredJson(costs->costs[row]); })},
                  {"text", "description as in the plan", kLongText, kShown,
                   [one](size_t row) { return Cell(std::string_view(one(row).plan->text)); }},
              },
          .note = CpuNote(application, *costs)};
}

}  // namespace sparkprof
