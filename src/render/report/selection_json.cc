// SPDX-License-Identifier: Apache-2.0
#include <string_view>
#include <vector>

#include "analysis/answers.h"
#include "analysis/costs/costs.h"
#include "analysis/findings/failures/failure_report.h"
#include "analysis/findings/finding.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/report/answers_json.h"

namespace sparkprof {

void WriteSelection(const Selection& selection, JsonWriter* json) {
  json->BeginObject();
  if (!selection.event.empty()) json->Member("event", selection.event);
  if (selection.job) json->Member("job", *selection.job);
  if (!selection.tag.empty()) json->Member("tag", selection.tag);
  if (selection.stage) json->Member("stage", *selection.stage);
  if (selection.stage_attempt) json->Member("stageAttempt", *selection.stage_attempt);
  if (selection.tasks.size() == 1) json->Member("task", selection.tasks.front());
  if (selection.tasks.size() > 1) {
    json->Member("task", selection.tasks);
  }
  if (selection.sql) json->Member("sql", *selection.sql);
  if (selection.node) json->Member("node", *selection.node);
  if (selection.executor) json->Member("executor", *selection.executor);
  if (const auto tid = ParseInteger(selection.thread)) {
    json->Member("thread", *tid);
  } else if (!selection.thread.empty()) {
    json->Member("thread", selection.thread);
  }
  if (selection.from_ns) json->Member("from", *selection.from_ns / kNanosPerMilli);
  if (selection.to_ns) json->Member("to", *selection.to_ns / kNanosPerMilli);
  if (!selection.search.empty()) json->Member("search", selection.search);
  json->EndObject();
}

namespace {

// A range of numbers, or 0 for a failure without a saving, and a text. With costs, and if the saving is known, its cost
// follows.
void WriteSaving(const Finding& finding, const std::optional<Costs>& costs, JsonWriter* json) {
  json->Key("savingMs");
  if (finding.is_failure && !finding.saving.IsKnown()) {
    json->Value(0);
  } else {
    json->BeginObject()
        .Member("low", finding.saving.low_ns / kNanosPerMilli)
        .Member("likely", finding.saving.likely_ns / kNanosPerMilli)
        .Member("high", finding.saving.high_ns / kNanosPerMilli)
        .EndObject();
  }
  json->Member("saving", SavedTime(finding));
  if (costs && finding.saving.IsKnown()) {
    json->Key("savingCost");
    WriteSavedCost(*costs, finding, json);
  }
}

void WriteFailure(const FailureReport& report, JsonWriter* json) {
  json->Key("failure")
      .BeginObject()
      .Member("id", report.failure->id)
      .Member("cause", report.means.empty() ? report.failure->means : std::string_view(report.means));
  json->Key("chain").BeginArray();
  for (const FailureEvent& event : report.chain) {
    json->BeginObject().Member("what", event.what).Member("text", event.text);
    json->MemberOrNull("at", event.at_ns != 0, event.at_ns / kNanosPerMilli);
    json->MemberOrNull("task", event.task != kNoTask, event.task);
    json->MemberOrNull("host", !event.host.empty(), event.host).EndObject();
  }
  json->EndArray().Key("remedy").BeginArray();
  for (const RemedyStep& step : report.remedy) {
    json->BeginObject().MemberOrNull("setting", !step.setting.empty(), step.setting);
    json->Member("value", step.value).Member("why", report.failure->why).EndObject();
  }
  json->EndArray().EndObject();
}

void WriteSettings(const std::vector<AdvisedSetting>& settings, JsonWriter* json) {
  json->Key("settings").BeginArray();
  for (const AdvisedSetting& setting : settings) {
    json->BeginObject().Member("name", setting.name);
    json->MemberOrNull("before", !setting.before.empty(), setting.before);
    json->Member("inCode", setting.is_in_code).Member("after", setting.after).EndObject();
  }
  json->EndArray();
}

}  // namespace

void WriteFinding(const Application& application, const Finding& finding, const std::optional<Costs>& costs,
                  JsonWriter* json) {
  json->BeginObject()
      .Member("application", application.id)
      .Member("id", finding.id)
      .Member("rule", finding.rule)
      .Member("severity", SeverityName(finding.severity))
      .Member("title", finding.title)
      .Member("what", finding.what)
      .Member("change", finding.change);
  WriteSaving(finding, costs, json);
  if (!finding.overlaps.empty()) json->Member("overlaps", finding.overlaps);
  json->Member("folded", IsFolded(finding)).Member("confidence", ConfidenceName(finding.confidence));
  json->Member("stages", finding.stages);
  json->Member("frames", finding.frames);
  json->Member("tasks", finding.selection.tasks);
  if (finding.failure) WriteFailure(*finding.failure, json);
  json->Member("isFailure", finding.is_failure);
  WriteSettings(finding.settings, json);
  if (finding.example) {
    json->Key("example").BeginObject();
    json->Member("before", finding.example->before).Member("after", finding.example->after).EndObject();
  }
  json->Member("ruledOut", finding.ruled_out);
  if (!finding.facts.empty()) json->Member("facts", finding.facts);
  json->Member("measured", finding.evidence).Member("condition", finding.condition).Key("evidence");
  WriteSelection(finding.selection, json);
  json->EndObject();
}

}  // namespace sparkprof
