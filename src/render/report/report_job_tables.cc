// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <vector>

#include "analysis/machines/neighbors.h"
#include "analysis/plans/engine_fallback.h"
#include "analysis/plans/work_names.h"
#include "base/time.h"
#include "model/dbt_query.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

template <typename Numbers>
void WriteNumbers(std::string_view key, const Numbers& numbers, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const int64_t number : numbers) json->Value(number);
  json->EndArray();
}

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

// The costs of the rows of a table, if there are prices.
class RowCosts {
 public:
  RowCosts(const Application& application, const Answers& answers, std::string_view table) {
    if (answers.costs) costs_ = CostsOfRows(application, *answers.costs, table);
  }
  void Write(size_t row, JsonWriter* json) const {
    if (!costs_.empty()) json->Member("cost", costs_[row]);
  }

 private:
  std::vector<double> costs_;
};

// Without the end of the object.
void BeginStage(const Application& application, const Stage& stage, const WorkName& name, const StageSummary& summary,
                JsonWriter* json) {
  json->BeginObject()
      .Member("id", stage.id)
      .Member("attempt", stage.attempt)
      .Member("name", name.line)
      .Member("work", name.work)
      .Member("details", stage.details)
      .Member("status", RunStatusName(stage.status))
      .Member("failure", stage.failure)
      .Member("submitTime", stage.submit_ns / kNanosPerMilli)
      .Member("endTime", stage.end_ns / kNanosPerMilli)
      .Member("job", stage.job)
      .Member("sql", stage.sql_execution);
  WriteNumbers("parents", stage.parents, json);
  json->Member("taskCount", stage.task_count)
      .Member("failedTasks", summary.failed_tasks + stage.resubmitted_tasks)
      .Key("totals")
      .BeginObject();
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    json->Member(Text(static_cast<TaskMetric>(metric)).name, summary.totals[metric]);
  }
  json->EndObject().Key("quantiles").BeginObject();
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const Quantiles of = summary.Of(static_cast<TaskMetric>(metric));
    if (of.min == 0 && of.max == 0) continue;
    WriteNumbers(Text(static_cast<TaskMetric>(metric)).name,
                 std::initializer_list<int64_t>{of.min, of.p25, of.p50, of.p75, of.max}, json);
  }
  json->EndObject()
      .Member("wallNs", summary.wall_ns)
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
  const std::vector<std::optional<EngineFallback>>& fallbacks_;  // of the operators
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
    json_->BeginObject().Member("name", metric.name).Key("value");
    if (metric.has_value) {
      json_->Value(metric.value);
    } else {
      json_->Null();
    }
    json_->Member("unit", PlanUnit(metric.type)).EndObject();
  }
  json_->EndArray();
  WriteNumbers("stages", node.stages, json_);
  json_->Key("children").BeginArray();
  for (const PlanNode& child : node.children) Write(child);
  json_->EndArray().EndObject();
}

void WriteVersions(const std::vector<PlanVersion>& versions, JsonWriter* json) {
  json->Key("planVersions").BeginArray();
  for (const PlanVersion& version : versions) {
    json->BeginObject().Member("afterStage", version.after_stage).Key("changes").BeginArray();
    for (const std::string& change : version.changes) json->Value(change);
    json->EndArray().EndObject();
  }
  json->EndArray();
}

}  // namespace

void WriteJobs(const Application& application, const Answers& answers, const ChosenRows& rows, JsonWriter* json) {
  const WorkNames names = NamesOfWork(application);
  const RowCosts of_jobs(application, answers, "jobs"), of_stages(application, answers, "stages");
  json->Key("jobs").BeginArray();
  for (const uint32_t row : rows.jobs) {
    const Job& job = application.jobs[row];
    json->BeginObject()
        .Member("id", job.id)
        .Member("name", names.jobs[row].line)
        .Member("work", names.jobs[row].work)
        .Member("status", RunStatusName(job.status))
        .Member("failure", job.failure)
        .Member("submitTime", job.submit_ns / kNanosPerMilli)
        .Member("endTime", job.end_ns / kNanosPerMilli);
    WriteNumbers("stages", job.stages, json);
    json->Member("sql", job.sql_execution)
        .Member("group", job.group)
        .Member("description", ReadableQuery(job.description))
        .Member("callSite", job.call_site);
    if (!job.tags.empty()) {
      json->Key("tags").BeginArray();
      for (const std::string& tag : job.tags) json->Value(tag);
      json->EndArray();
    }
    of_jobs.Write(row, json);
    json->EndObject();
  }
  json->EndArray().Key("stages").BeginArray();
  for (const uint32_t row : rows.stages) {
    BeginStage(application, application.stages[row], names.stages[row], answers.stages[row], json);
    of_stages.Write(row, json);
    json->EndObject();
  }
  json->EndArray();
}

void WriteSql(const Application& application, const Answers& answers, const OperatorCosts& operators,
              const ChosenRows& rows, JsonWriter* json) {
  const RowCosts costs(application, answers, "sql");
  std::vector<size_t> first_operators(application.sql_executions.size());
  for (size_t row = operators.operators.size(); row-- > 0;) {
    first_operators[static_cast<size_t>(operators.operators[row].sql)] = row;
  }
  const std::vector<std::optional<EngineFallback>> fallbacks = FallbacksOf(application, operators);
  json->Key("sql").BeginArray();
  for (const uint32_t row : rows.sql_executions) {
    const SqlExecution& execution = application.sql_executions[row];
    json->BeginObject()
        .Member("id", execution.id)
        .Member("description", ReadableQuery(execution.description))
        .Member("details", execution.details)
        .Member("status", RunStatusName(execution.status))
        .Member("failure", execution.failure)
        .Member("startTime", execution.start_ns / kNanosPerMilli)
        .Member("endTime", execution.end_ns / kNanosPerMilli);
    WriteNumbers("jobs", execution.jobs, json);
    costs.Write(row, json);
    json->Key("plan");
    PlanWriter(operators, fallbacks, first_operators[row], json).Write(execution.plan);
    WriteVersions(execution.plan_versions, json);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace sparkprof
