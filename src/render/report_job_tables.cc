// SPDX-License-Identifier: Apache-2.0
#include "analysis/call_site.h"
#include "base/time.h"
#include "render/report_tables.h"

namespace sparkprof {
namespace {

template <typename Numbers>
void WriteNumbers(std::string_view key, const Numbers& numbers, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const int64_t number : numbers) json->Value(number);
  json->EndArray();
}

void WriteStage(const Stage& stage, const StageSummary& summary, JsonWriter* json) {
  json->BeginObject()
      .Member("id", stage.id)
      .Member("attempt", stage.attempt)
      .Member("name", ShortCallSite(stage.name))
      .Member("details", stage.details)
      .Member("status", RunStatusName(stage.status))
      .Member("failure", stage.failure)
      .Member("submitTime", stage.submit_ns / kNanosPerMilli)
      .Member("endTime", stage.end_ns / kNanosPerMilli)
      .Member("job", stage.job)
      .Member("sql", stage.sql_execution)
      .Member("taskCount", stage.task_count)
      .Member("failedTasks", summary.failed_tasks)
      .Key("totals")
      .BeginObject();
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    json->Member(Text(static_cast<TaskMetric>(metric)).name, summary.totals[metric]);
  }
  json->EndObject().Key("quantiles").BeginObject();
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const Quantiles of = summary.Of(static_cast<TaskMetric>(metric));
    WriteNumbers(Text(static_cast<TaskMetric>(metric)).name,
                 std::initializer_list<int64_t>{of.min, of.p25, of.p50, of.p75, of.max}, json);
  }
  json->EndObject()
      .Member("cpuSamplesNs", summary.cpu_samples_ns)
      .Member("pythonWaitNs", summary.python_wait_ns)
      .EndObject();
}

std::string_view PlanUnit(std::string_view type) {
  if (type == "size") return "bytes";
  return type == "timing" || type == "nsTiming" ? "ns" : "count";
}

void WritePlan(const PlanNode& node, JsonWriter* json) {
  json->BeginObject().Member("name", node.name).Member("text", node.text).Key("metrics").BeginArray();
  for (const PlanMetric& metric : node.metrics) {
    json->BeginObject().Member("name", metric.name).Key("value");
    if (metric.has_value) {
      json->Value(metric.value);
    } else {
      json->Null();
    }
    json->Member("unit", PlanUnit(metric.type)).EndObject();
  }
  json->EndArray();
  WriteNumbers("stages", node.stages, json);
  json->Key("children").BeginArray();
  for (const PlanNode& child : node.children) WritePlan(child, json);
  json->EndArray().EndObject();
}

}  // namespace

void WriteJobs(const Application& application, const Answers& answers, const ChosenRows& rows, JsonWriter* json) {
  json->Key("jobs").BeginArray();
  for (const uint32_t row : rows.jobs) {
    const Job& job = application.jobs[row];
    json->BeginObject()
        .Member("id", job.id)
        .Member("name", ShortCallSite(job.name))
        .Member("status", RunStatusName(job.status))
        .Member("failure", job.failure)
        .Member("submitTime", job.submit_ns / kNanosPerMilli)
        .Member("endTime", job.end_ns / kNanosPerMilli);
    WriteNumbers("stages", job.stages, json);
    json->Member("sql", job.sql_execution)
        .Member("group", job.group)
        .Member("description", job.description)
        .Member("callSite", job.call_site)
        .EndObject();
  }
  json->EndArray().Key("stages").BeginArray();
  for (const uint32_t row : rows.stages) {
    WriteStage(application.stages[row], answers.stages[row], json);
  }
  json->EndArray();
}

void WriteSql(const Application& application, const ChosenRows& rows, JsonWriter* json) {
  json->Key("sql").BeginArray();
  for (const uint32_t row : rows.sql_executions) {
    const SqlExecution& execution = application.sql_executions[row];
    json->BeginObject()
        .Member("id", execution.id)
        .Member("description", execution.description)
        .Member("details", execution.details)
        .Member("status", RunStatusName(execution.status))
        .Member("failure", execution.failure)
        .Member("startTime", execution.start_ns / kNanosPerMilli)
        .Member("endTime", execution.end_ns / kNanosPerMilli);
    WriteNumbers("jobs", execution.jobs, json);
    json->Key("plan");
    WritePlan(execution.plan, json);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace sparkprof
