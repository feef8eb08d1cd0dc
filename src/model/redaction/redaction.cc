// SPDX-License-Identifier: Apache-2.0
#include "model/redaction/redaction.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/redaction/redaction.h"
#include "base/redaction/redaction_stream.h"

namespace sparkprof {
namespace {

bool RedactTexts(std::initializer_list<std::string*> texts) {
  bool changed = false;
  for (std::string* const text : texts) changed |= RedactInPlace(text);
  return changed;
}

bool RedactSettings(std::vector<ProfilerSetting>* settings) {
  bool changed = false;
  for (ProfilerSetting& setting : *settings) {
    std::string redacted = RedactSetting(setting.name, setting.value);
    changed = changed || redacted != setting.value;
    setting.value = std::move(redacted);
    changed |= RedactTexts({&setting.name});
  }
  return changed;
}

// Keeps string IDs.
bool RedactStrings(StringTable* strings) {
  std::optional<StringTable> redacted;
  for (StringId id = 1; id < strings->Size(); ++id) {
    const std::string_view text = strings->Get(id);
    const std::optional<std::string> clean = RedactIfNeeded(text);
    if (clean && !redacted) {
      redacted.emplace();
      for (StringId before = 1; before < id; ++before) redacted->Append(strings->Get(before));
    }
    if (redacted) redacted->Append(clean ? std::string_view(*clean) : text);
  }
  if (!redacted) return false;
  *strings = std::move(*redacted);
  return true;
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
    for (std::string* text : {&stage.name, &stage.details, &stage.failure, &stage.grouped_by}) change(text);
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
    change(&query.source);
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
  bool changed_name = false;
  for (std::string& source : logs->sources) changed_name |= RedactInPlace(&source);
  for (LogTemplate& row : logs->templates) changed_name |= RedactInPlace(&row.text);
  std::string text;
  uint64_t copied = 0;  // bytes of the records copied to `text`
  bool changed = false;
  uint64_t begin = 0;
  RedactionStream stream;  // records of one source
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
  if (!changed) return changed_name;
  text.append(std::string_view(logs->text).substr(copied));
  logs->text = std::move(text);
  return true;
}

bool RedactSource(Source* source) {
  return RedactTexts({&source->application_id, &source->application_attempt, &source->application_name,
                      &source->executor_id, &source->host, &source->boot_id, &source->spark_version,
                      &source->java_version, &source->sparkprof_version, &source->role});
}

bool RedactSegment(Segment* segment) {
  bool changed = RedactSource(&segment->source);
  changed |= RedactStrings(&segment->strings);
  for (Series& series : segment->series) changed |= RedactTexts({&series.name});
  for (Process& process : segment->processes) {
    changed |=
        RedactTexts({&process.role, &process.command, &process.user, &process.application_id, &process.executor_id,
                     &process.container_id, &process.control_group, &process.name, &process.state});
  }
  for (Loss& loss : segment->losses) changed |= RedactTexts({&loss.what, &loss.reason});
  for (Notice& notice : segment->notices) changed |= RedactTexts({&notice.text});
  changed |= RedactSettings(&segment->settings);
  changed |= RedactLogs(&segment->logs);
  for (Column& column : segment->task_columns) changed |= RedactTexts({&column.name});
  for (Udf& udf : segment->udfs) changed |= RedactTexts({&udf.name, &udf.file});
  for (Neighbor& neighbor : segment->neighbors) {
    changed |= RedactTexts({&neighbor.host, &neighbor.application_id, &neighbor.user, &neighbor.name});
    for (std::string& executor : neighbor.executor_ids) changed |= RedactTexts({&executor});
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
