// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <vector>

#include "analysis/owners/resources.h"
#include "analysis/plans/engine_times.h"
#include "analysis/plans/operator_costs.h"
#include "analysis/plans/plan_text.h"
#include "analysis/selection/spark_settings.h"
#include "analysis/selection/time_range.h"
#include "analysis/tables/row_filter.h"
#include "analysis/tables/tables.h"
#include "base/saturate.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "engines/engines.h"
#include "fleet/fleet_schema.h"
#include "model/hash_bytes.h"
#include "model/plan_operators.h"

namespace sparkprof {
namespace {

constexpr size_t kLongestText = 500;
constexpr double kFleetHourNs = 3600.0 * static_cast<double>(kNanosPerSecond);
constexpr size_t kDateLength = 10;  // length of the date in 2026-11-25T…

std::string DateOf(int64_t epoch_ns) { return FormatTimestamp(epoch_ns).substr(0, kDateLength); }

double HoursOf(int64_t ns) { return static_cast<double>(ns) / kFleetHourNs; }

// One row; unknown values have no member.
class Row {
 public:
  Row(std::string_view table, const std::string& date, std::string* lines) : lines_(lines) {
    *lines_ += table;
    *lines_ += '\t';
    json_.BeginObject().Member("date", date);
  }
  ~Row() { *lines_ += json_.EndObject().Take() + "\n"; }
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  template <typename T>
  Row& Add(std::string_view key, const T& value) {
    json_.Member(key, value);
    return *this;
  }
  template <typename T>
  Row& Add(std::string_view key, const std::optional<T>& value) {
    if (value) json_.Member(key, *value);
    return *this;
  }
  Row& Text(std::string_view key, std::string_view value) { return Add(key, Shorten(value, kLongestText)); }
  Row& KnownText(std::string_view key, std::string_view value) { return value.empty() ? *this : Text(key, value); }
  Row& Millis(std::string_view key, int64_t ns) { return Add(key, ns / kNanosPerMilli); }
  // The columns of `fleet` that a table of `sparkprof show` has.
  void AddShared(std::string_view fleet, const Table& table, size_t row) {
    for (const FleetColumn& one : FindFleetTable(fleet)->columns) {
      if (one.source.empty()) continue;
      const Cell cell = table.columns[FindColumn(table, one.source).value()].cell(row);
      if (const auto* const text = std::get_if<std::string_view>(&cell)) Text(one.column.name, *text);
      if (const auto* const number = std::get_if<int64_t>(&cell)) Add(one.column.name, *number);
    }
  }
  Row& Times(int64_t start_ns, int64_t end_ns) {
    if (start_ns > 0) Millis("start", start_ns);
    if (end_ns > 0) Millis("end", end_ns);
    if (start_ns > 0 && end_ns >= start_ns) Millis("durationMs", end_ns - start_ns);
    return *this;
  }

 private:
  JsonWriter json_;
  std::string* lines_;
};

// Members of every row of an application.
struct RowsOfApplication {
  const Application& application;
  const std::string& source;
  std::string date;
  std::string* lines;
};

class ApplicationPart : public Row {
 public:
  ApplicationPart(std::string_view table, const RowsOfApplication& of) : Row(table, of.date, of.lines) {
    Add("id", of.application.id).Add("attempt", of.application.attempt).Add("source", of.source);
  }
};

void AppendStages(const Answers& answers, const RowsOfApplication& of) {
  const Table table = StagesTable(of.application);
  for (size_t i = 0; i < of.application.stages.size(); ++i) {
    const StageSummary& summary = answers.stages[i];
    ApplicationPart row("stages", of);
    row.AddShared("stages", table, i);
    row.Add("status", RunStatusName(of.application.stages[i].status)).Add("failedTasks", summary.failed_tasks);
    row.Millis("taskMs", summary.Total(TaskMetric::kDuration));
    row.Millis("cpuMs", summary.Total(TaskMetric::kExecutorCpuTime));
  }
}

struct QueryTotals {
  int64_t stages = 0, task_ns = 0, input_bytes = 0, shuffle_bytes = 0, spilled_bytes = 0;
};

std::unordered_map<int64_t, QueryTotals> TotalsOfQueries(const Application& application, const Answers& answers) {
  std::unordered_map<int64_t, QueryTotals> totals;
  for (size_t i = 0; i < application.stages.size(); ++i) {
    const StageSummary& summary = answers.stages[i];
    if (application.stages[i].sql_execution < 0 || summary.tasks.empty()) continue;
    QueryTotals& total = totals[application.stages[i].sql_execution];
    ++total.stages;
    AddSaturated(summary.Total(TaskMetric::kDuration), &total.task_ns);
    AddSaturated(summary.Total(TaskMetric::kInputBytes), &total.input_bytes);
    AddSaturated(summary.Total(TaskMetric::kShuffleWriteBytes), &total.shuffle_bytes);
    AddSaturated(summary.Total(TaskMetric::kDiskSpilled), &total.spilled_bytes);
  }
  return totals;
}

std::string_view EngineName(const PlanNode& plan) {
  const Engine* const engine = EngineOfOperator(plan.name);
  return engine == nullptr ? std::string_view() : engine->name;
}

struct PlanShape {
  std::string hash;
  std::string tables;       // a JSON array
  std::string_view engine;  // empty = Spark only
  int64_t engine_operators = 0;
};

PlanShape ShapeOf(const SqlExecution& sql) {
  const std::vector<PlanOperator> operators = OperatorsOf(sql.plan);
  std::string shape;
  std::set<std::string> sources;
  PlanShape result;
  for (const PlanOperator& one : operators) {
    shape += one.kind;
    shape += '\n';
    if (const std::string_view engine = EngineName(*one.plan); !engine.empty()) {
      result.engine = engine;
      ++result.engine_operators;
    }
    if (!SourceOf(operators, one).empty()) sources.insert(SourceText(one));
  }
  JsonWriter tables;
  tables.BeginArray();
  for (const std::string& source : sources) {
    shape += source + "\n";
    tables.Value(source);
  }
  result.tables = tables.EndArray().Take();
  if (!operators.empty()) result.hash = fmt::format("{:016x}", HashBytes(shape));
  return result;
}

void AppendQueries(const Answers& answers, const RowsOfApplication& of) {
  const std::vector<SqlExecution>& executions = of.application.sql_executions;
  if (executions.empty()) return;
  const OperatorCosts costs = CostOfOperators(of.application);
  const std::vector<std::optional<EngineFallback>> fallbacks = FallbacksOf(of.application, costs);
  std::vector<int64_t> fallbacks_of(executions.size());
  for (size_t i = 0; i < costs.operators.size(); ++i) {
    const PlanOperator& one = costs.operators[i].one;
    const OperatorCost& cost = costs.costs[i];
    const auto sql = static_cast<size_t>(costs.operators[i].sql);
    const std::string_view engine = EngineName(*one.plan);
    ApplicationPart row("operators", of);
    row.Add("sql", executions[sql].id).Add("node", int64_t{one.node}).Text("name", Trim(one.plan->name));
    row.Add("engine", engine.empty() ? std::string_view("spark") : engine);
    const auto time = [&row](std::string_view key, const std::optional<int64_t>& ns) {
      if (ns) row.Add(key, static_cast<double>(*ns) / static_cast<double>(kNanosPerMilli));
    };
    time("elapsedMs", cost.elapsed_ns);
    time("gpuMs", cost.gpu_ns);
    time("nativeMs", cost.native_ns);
    row.Add("rowsIn", one.rows_in).Add("rowsOut", one.rows_out).Add("spilledBytes", one.spill_bytes);
    if (!fallbacks[i]) continue;
    ++fallbacks_of[sql];
    row.Text("fallback", fallbacks[i]->reason);
  }
  const std::unordered_map<int64_t, QueryTotals> totals = TotalsOfQueries(of.application, answers);
  const Table table = SqlTable(of.application);
  for (size_t i = 0; i < executions.size(); ++i) {
    const SqlExecution& sql = executions[i];
    const auto found = totals.find(sql.id);
    const QueryTotals total = found == totals.end() ? QueryTotals() : found->second;
    const PlanShape shape = ShapeOf(sql);
    ApplicationPart row("queries", of);
    row.AddShared("queries", table, i);
    row.KnownText("plan", shape.hash).Add("tables", shape.tables).Add("status", RunStatusName(sql.status));
    row.Add("stages", total.stages).Add("taskHours", HoursOf(total.task_ns)).Add("inputBytes", total.input_bytes);
    row.Add("shuffleBytes", total.shuffle_bytes).Add("spilledBytes", total.spilled_bytes);
    row.Add("engine", shape.engine.empty() ? std::string_view("spark") : shape.engine);
    row.Add("fallbacks", fallbacks_of[i]);
  }
}

void AppendDatasets(const RowsOfApplication& of) {
  const Table table = DatasetsTable(of.application);
  for (size_t i = 0; i < table.rows; ++i) ApplicationPart("datasets", of).AddShared("datasets", table, i);
}

void AppendFindings(const Answers& answers, const Resources& use, const std::optional<PriceList>& prices,
                    const RowsOfApplication& of) {
  for (const Finding& finding : answers.findings) {
    ApplicationPart row("findings", of);
    row.Add("rule", finding.rule).Add("severity", SeverityName(finding.severity)).Text("title", finding.title);
    row.Text("what", finding.what).Text("change", finding.change);
    if (!finding.stages.empty()) row.Add("stage", finding.stages.front());
    row.Add("isFailure", finding.is_failure).Add("confidence", finding.confidence);
    if (!finding.saving.IsKnown()) continue;
    row.Millis("savedMs", finding.saving.likely_ns).Add("savedShare", finding.expected_share);
    if (!finding.overlaps.empty()) continue;
    const double core_hours = finding.expected_share * use.core_hours, gb_hours = finding.expected_share * use.gb_hours;
    if (use.core_hours > 0) row.Add("savedCoreHours", core_hours);
    if (use.gb_hours > 0) row.Add("savedGbHours", gb_hours);
    if (prices && use.core_hours > 0) row.Add("savedCost", prices->Cost(core_hours, gb_hours));
  }
}

void AppendSettings(const RowsOfApplication& of) {
  constexpr std::string_view kGroup = "Spark";
  for (const auto& [group, settings] : of.application.environment) {
    if (group != kGroup) continue;
    for (const auto& [key, value] : settings) {
      ApplicationPart("settings", of).Text("key", key).Text("value", value);
    }
  }
}

}  // namespace

double WastedCoreHours(const Application& application, double core_hours) {
  const Tasks& tasks = application.tasks;
  // A task may use several cores.
  const double cores_of_task = static_cast<double>(
      std::max<int64_t>(1, ParseInteger(SettingOf(application, "spark.task.cpus").value_or("1")).value_or(1)));
  int64_t used_ns = 0;
  for (size_t task = 0; task < tasks.Size(); ++task) {
    const TaskOutcome outcome = tasks.outcome[task];
    if (outcome == TaskOutcome::kFailed || outcome == TaskOutcome::kKilled) continue;
    const int64_t end_ns = tasks.finish_ns[task] > 0 ? tasks.finish_ns[task] : application.end_ns;
    if (tasks.launch_ns[task] > 0) AddSaturated(std::max<int64_t>(0, end_ns - tasks.launch_ns[task]), &used_ns);
  }
  return std::clamp(core_hours - HoursOf(used_ns) * cores_of_task, 0.0, core_hours);
}

std::string_view EngineOfApplication(const Application& application) {
  std::string_view engine;
  int64_t most = 0;
  for (const SqlExecution& sql : application.sql_executions) {
    const PlanShape shape = ShapeOf(sql);
    if (shape.engine_operators <= most) continue;
    most = shape.engine_operators;
    engine = shape.engine;
  }
  return engine.empty() ? std::string_view("spark") : engine;
}

std::string_view QueueOf(const Application& application) {
  for (const std::string_view key : {"spark.yarn.queue", "spark.kubernetes.namespace"}) {
    if (const auto value = SettingOf(application, key)) return *value;
  }
  return application.master.starts_with("yarn") ? std::string_view("default") : std::string_view();
}

void AppendFleetRows(const Application& application, const Answers& answers, const std::optional<PriceList>& prices,
                     const std::string& source, std::string* lines) {
  const TimeRange range = RangeOf(application);
  const RowsOfApplication of{application, source, DateOf(range.start_ns), lines};
  const Resources use = ResourcesOf(application);
  {
    ApplicationPart row("applications", of);
    row.Text("name", application.name).KnownText("user", application.user).KnownText("queue", QueueOf(application));
    row.Times(range.start_ns, range.end_ns);
    if (use.core_hours > 0) {
      row.Add("coreHours", use.core_hours).Add("wastedCoreHours", WastedCoreHours(application, use.core_hours));
      if (use.gb_hours > 0) row.Add("gbHours", use.gb_hours);
      if (prices) row.Add("cost", prices->Cost(use.core_hours, use.gb_hours));
    }
    row.Add("findings", static_cast<int64_t>(answers.findings.size())).Add("engine", EngineOfApplication(application));
    row.KnownText("sparkVersion", application.spark_version);
  }
  AppendStages(answers, of);
  AppendQueries(answers, of);
  AppendDatasets(of);
  AppendFindings(answers, use, prices, of);
  AppendSettings(of);
}

void AppendFleetFailure(const FailedLog& failed, std::string* lines) {
  Row row("failures", DateOf(failed.modified_ns), lines);
  row.Add("source", failed.source).KnownText("id", failed.id).KnownText("attempt", failed.attempt);
  row.Add("bytes", failed.bytes).Millis("modified", failed.modified_ns).Text("reason", failed.reason);
}

}  // namespace sparkprof
