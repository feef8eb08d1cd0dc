// SPDX-License-Identifier: Apache-2.0
#include "render/selection_json.h"

#include "analysis/findings/finding.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {

void WriteSelection(const Selection& selection, JsonWriter* json) {
  json->BeginObject();
  if (!selection.event.empty()) json->Member("event", selection.event);
  if (selection.job) json->Member("job", *selection.job);
  if (selection.stage) json->Member("stage", *selection.stage);
  if (selection.stage_attempt) json->Member("stageAttempt", *selection.stage_attempt);
  if (selection.tasks.size() == 1) json->Member("task", selection.tasks.front());
  if (selection.tasks.size() > 1) {
    json->Key("task").BeginArray();
    for (const int64_t task : selection.tasks) json->Value(task);
    json->EndArray();
  }
  if (selection.sql) json->Member("sql", *selection.sql);
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

void WriteFinding(const Finding& finding, JsonWriter* json) {
  json->BeginObject()
      .Member("id", finding.id)
      .Member("title", finding.title)
      .Member("severity", SeverityName(finding.severity))
      .Member("confidence", finding.confidence)
      .Member("what", finding.what)
      .Member("evidence", finding.evidence)
      .Member("rule", finding.rule)
      .Key("selection");
  WriteSelection(finding.selection, json);
  json->Member("change", finding.change).Member("gainNs", finding.gain_ns).EndObject();
}

}  // namespace sparkprof
