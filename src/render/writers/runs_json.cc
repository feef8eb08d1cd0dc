// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/time/time_spent.h"
#include "base/time.h"
#include "render/report/answers_json.h"
#include "render/writers/answer_writers.h"

namespace sparkprof {
namespace {

double Millis(int64_t ns) { return static_cast<double>(ns) / static_cast<double>(kNanosPerMilli); }

// Writes null for the unknown value 0.
void WriteKnown(std::string_view key, auto value, JsonWriter* json) { json->MemberOrNull(key, value > 0, value); }

void WriteRun(const AnsweredRun& run, int64_t duration_ns, JsonWriter* json) {
  const Application& application = run.application;
  const auto sum = [&](TaskMetric metric) {
    int64_t all = 0;
    for (const StageSummary& stage : run.answers.stages) all += stage.Total(metric);
    return all;
  };
  json->BeginObject().Member("id", application.id).Member("name", application.name);
  json->Member("durationMs", Millis(duration_ns)).Member("startTime", application.start_ns / kNanosPerMilli);
  json->Member("sparkVersion", application.spark_version).Member("executors", application.ExecutorCount());
  WriteKnown("cores", CoreCount(application), json);
  json->Member("driverMs", Millis(TimeOutsideStages(run.answers.accounted->account)))
      .Member("tasks", application.tasks.Size());
  json->Member("taskMs", Millis(sum(TaskMetric::kDuration)));
  WriteKnown("cpuMs", Millis(sum(TaskMetric::kExecutorCpuTime)), json);
  json->Member("gcMs", Millis(sum(TaskMetric::kGcTime))).Member("inputBytes", sum(TaskMetric::kInputBytes));
  json->Member("shuffleReadBytes", sum(TaskMetric::kShuffleReadBytes));
  json->Member("shuffleWriteBytes", sum(TaskMetric::kShuffleWriteBytes));
  json->Member("spilledBytes", sum(TaskMetric::kDiskSpilled)).Member("findings", run.answers.findings.size());
  if (run.answers.costs) {
    json->Key("cost");
    WriteCosts(*run.answers.costs, json);
  }
  json->EndObject();
}

void WriteFindings(std::string_view key, const std::vector<const Finding*>& findings, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const Finding* finding : findings) {
    json->BeginObject().Member("id", finding->id).Member("rule", finding->rule).Member("title", finding->title);
    json->EndObject();
  }
  json->EndArray();
}

}  // namespace

void WriteRuns(const ComparedRuns& runs, const AnsweredRun& before, const AnsweredRun& after, JsonWriter* json) {
  const RunComparison& comparison = runs.comparison;
  json->BeginObject().Key("before");
  WriteRun(before, comparison.before_ns, json);
  json->Key("after");
  WriteRun(after, comparison.after_ns, json);
  json->Member("changePercent", comparison.Change() * 100);
  json->Member("environment", comparison.causes);
  json->Key("causes").BeginArray();
  for (const RunCause& cause : runs.causes) {
    json->BeginObject().Member("kind", cause.kind).Member("stage", cause.stage);
    json->Member("text", cause.text).Member("deltaMs", Millis(cause.delta_ns)).EndObject();
  }
  json->EndArray().Key("stages").BeginArray();
  for (const StageChange& stage : comparison.stages) {
    json->BeginObject().Member("name", stage.name);
    json->Member("stagesBefore", stage.before_ids);
    json->Member("stagesAfter", stage.after_ids);
    json->Member("beforeMs", Millis(stage.before_ns)).Member("afterMs", Millis(stage.after_ns));
    json->Member("tasksBeforeMs", Millis(stage.before_tasks_ns)).Member("tasksAfterMs", Millis(stage.after_tasks_ns));
    json->Member("causes", stage.causes);
    json->EndObject();
  }
  json->EndArray().Key("plans").BeginArray();
  for (const PlanChange& plan : runs.plans) {
    json->BeginObject().Member("name", plan.name);
    json->Member("sqlBefore", plan.before_id).Member("sqlAfter", plan.after_id);
    json->Member("beforeMs", Millis(plan.before_ns)).Member("afterMs", Millis(plan.after_ns));
    json->Member("gone", plan.gone);
    json->Member("new", plan.added);
    json->EndObject();
  }
  json->EndArray().Key("settings").BeginArray();
  for (const SettingChange& setting : comparison.settings) {
    json->BeginObject().Member("name", setting.name);
    json->MemberOrNull("before", !setting.before.empty(), setting.before);
    json->MemberOrNull("after", !setting.after.empty(), setting.after).EndObject();
  }
  json->EndArray().Key("findings").BeginObject();
  WriteFindings("gone", runs.findings.gone, json);
  WriteFindings("new", runs.findings.added, json);
  json->EndObject().EndObject();
}

}  // namespace sparkprof
