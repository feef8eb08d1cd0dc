// SPDX-License-Identifier: Apache-2.0
#include "model/redaction.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/redaction/redaction.h"
#include "base/redaction/redaction_stream.h"

namespace sparkprof {
namespace {

bool RedactSettings(std::vector<ProfilerSetting>* settings) {
  bool changed = false;
  for (ProfilerSetting& setting : *settings) {
    std::string redacted = RedactSetting(setting.name, setting.value);
    changed = changed || redacted != setting.value;
    setting.value = std::move(redacted);
  }
  return changed;
}

void ForEachTextOf(PlanNode* node, const TextChange& change) {
  change(&node->name);
  change(&node->text);
  for (PlanMetric& metric : node->metrics) change(&metric.name);
  for (PlanNode& child : node->children) ForEachTextOf(&child, change);
}

// Calls `change` for each text that a user may have written.
void ForEachText(Application* application, const TextChange& change) {
  change(&application->name);
  for (Job& job : application->jobs) {
    for (std::string* text : {&job.name, &job.group, &job.description, &job.call_site, &job.failure}) change(text);
    for (std::string& tag : job.tags) change(&tag);
  }
  for (Stage& stage : application->stages) {
    for (std::string* text : {&stage.name, &stage.details, &stage.failure}) change(text);
  }
  for (SqlExecution& execution : application->sql_executions) {
    for (std::string* text : {&execution.description, &execution.details, &execution.plan_text, &execution.failure}) {
      change(text);
    }
    ForEachTextOf(&execution.plan, change);
  }
  for (CachedRdd& rdd : application->cached_rdds) change(&rdd.name);
  for (SharedRdd& rdd : application->shared_rdds) change(&rdd.name);
  for (StreamingQuery& query : application->streaming_queries) {
    change(&query.name);
    change(&query.sink);
    change(&query.failure);
  }
  for (Executor& executor : application->executors) change(&executor.remove_reason);
  for (ApplicationProcess& row : application->processes) change(&row.process.command);
  for (ProfileThread& thread : application->profile.threads) change(&thread.name);
  for (ApplicationNotice& row : application->notices) change(&row.notice.text);
  for (Udf& udf : application->udfs) {
    change(&udf.name);
    change(&udf.file);
  }
}

}  // namespace

bool RedactLogs(LogRecords* logs) {
  bool changed_template = false;
  for (LogTemplate& row : logs->templates) changed_template |= RedactInPlace(&row.text);
  std::string text;
  uint64_t copied = 0;  // bytes of the records, into `text`
  bool changed = false;
  uint64_t begin = 0;
  RedactionStream stream;  // of the records of a source
  uint32_t source = 0;
  for (size_t row = 0; row < logs->text_end.size(); ++row) {
    uint64_t& text_end = logs->text_end[row];
    const uint64_t end = text_end;
    const std::string_view all = logs->text;
    if (row < logs->source.size() && std::exchange(source, logs->source[row]) != source) stream.Reset();
    std::optional<std::string> redacted = stream.Add(all.substr(begin, end - begin));
    if (!redacted) {
      redacted = RedactIfNeeded(all.substr(begin, end - begin));
    } else {
      RedactInPlace(&*redacted);
    }
    if (redacted) {
      text.append(all.substr(copied, begin - copied)).append(*redacted);
      copied = end;
      changed = true;
    }
    begin = end;
    text_end = text.size() + (end - copied);
  }
  if (!changed) return changed_template;
  text.append(std::string_view(logs->text).substr(copied));
  logs->text = std::move(text);
  return true;
}

bool RedactSegment(Segment* segment) {
  bool changed = RedactInPlace(&segment->source.application_name);
  for (Process& process : segment->processes) changed |= RedactInPlace(&process.command);
  for (Notice& notice : segment->notices) changed |= RedactInPlace(&notice.text);
  changed |= RedactSettings(&segment->settings);
  changed |= RedactLogs(&segment->logs);
  for (Udf& udf : segment->udfs) {
    changed |= RedactInPlace(&udf.name);
    changed |= RedactInPlace(&udf.file);
  }
  return changed;
}

void RedactApplication(Application* application) {
  for (auto& [group, rows] : application->environment) {
    for (auto& [name, value] : rows) {
      value = RedactSetting(name, value);
      RedactInPlace(&name);
    }
  }
  RedactApplication(application, [](std::string* text) { RedactInPlace(text); });
}

void RedactApplication(Application* application, const TextChange& redact_text) {
  ForEachText(application, redact_text);
  for (SqlExecution& execution : application->sql_executions) {
    for (auto& [name, value] : execution.settings) value = RedactSetting(name, value);
  }
  RedactSettings(&application->settings);
  RedactLogs(&application->logs);
  for (ResourceProfile& profile : application->resource_profiles) {
    for (auto& [name, value] : profile.requests) value = RedactSetting(name, value);
  }
}

}  // namespace sparkprof
