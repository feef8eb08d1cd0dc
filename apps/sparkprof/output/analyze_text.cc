// SPDX-License-Identifier: Apache-2.0
#include "output/analyze_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"
#include "base/text/text.h"
#include "base/time.h"
#include "output/print_problems.h"
#include "output/summary_text.h"
#include "render/report/answers_json.h"
#include "render/report/info.h"

namespace sparkprof {
namespace {

// Formats "1 event log, 3 text logs".
std::string CountKinds(const Inputs& inputs) {
  std::map<InputKind, size_t> counts;
  for (const Input& input : inputs.inputs) ++counts[input.kind];
  std::vector<std::string> texts;
  for (const auto& [kind, count] : counts) {
    const std::string name(InputKindName(kind));
    const bool plural = count != 1 && !name.ends_with("records");
    texts.push_back(fmt::format("{} {}{}", count, name, plural ? "s" : ""));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

void AddLine(std::string_view line, std::string* text) {
  constexpr size_t kIndent = 2;
  *text += std::string(kIndent, ' ') + TerminalStyle().Wrap(line, kIndent, 2 * kIndent);
}

void AddList(std::string_view title, const std::vector<std::string>& lines, std::string* text) {
  if (lines.empty()) return;
  *text += fmt::format("{} ({})\n", title, lines.size());
  for (size_t i = 0; i < std::min(lines.size(), kMaxListed); ++i) AddLine(lines[i], text);
  if (lines.size() > kMaxListed) *text += fmt::format("  … and {} more; --json lists all\n", lines.size() - kMaxListed);
}

// Records by level, counted from the templates, which include dropped records.
std::array<int64_t, kLogLevelCount> RecordsByLevel(const LogRecords& logs) {
  std::array<int64_t, kLogLevelCount> levels{};
  for (const LogTemplate& one : logs.templates) {
    for (size_t level = 0; level < kLogLevelCount; ++level) levels[level] += one.levels[level];
  }
  return levels;
}

// Row 0 of the templates is for unknown ones and may be empty.
int64_t CountTemplates(const LogRecords& logs) {
  return std::count_if(logs.templates.begin(), logs.templates.end(),
                       [](const LogTemplate& one) { return one.count > 0; });
}

std::string LogLine(const LogRecords& logs) {
  const auto levels = RecordsByLevel(logs);
  int64_t total = 0;
  for (const int64_t count : levels) total += count;
  if (total == 0) return {};
  const auto of = [&](LogLevel level) { return levels[static_cast<size_t>(level)]; };
  std::string line = fmt::format("{} records of {} templates: {} errors, {} warnings", total, CountTemplates(logs),
                                 of(LogLevel::kError) + of(LogLevel::kFatal), of(LogLevel::kWarn));
  if (logs.dropped > 0) line += fmt::format("; {} counted but not kept", logs.dropped);
  return line;
}

// Formats "12 × Exception in task 3.0 in stage 6.0 (TID 80): java.io.IOException: disk (last
// 2026-11-21T09:30:21.000Z)".
std::string ErrorText(const LogError& error) {
  std::string text = fmt::format("{} × {}", error.count, error.message.substr(0, error.message.find('\n')));
  if (!error.root_cause.empty() && error.message.find(error.root_cause) == std::string::npos)
    text += fmt::format(": {}", error.root_cause.substr(0, error.root_cause.find('\n')));
  constexpr size_t kLongest = 160;
  text = Shorten(text, kLongest);
  return error.last_ns > 0 ? fmt::format("{} (last {})", text, FormatTimestamp(error.last_ns)) : text;
}

void WriteConcurrency(const Application& application, JsonWriter* json) {
  const ConcurrencyProfile profile = ProfileOf(application);
  json->Key("concurrency")
      .BeginObject()
      .Member("peak", profile.peak)
      .Member("mean", profile.mean)
      .Member("meanActive", profile.mean_active)
      .Key("timeAtMs")
      .BeginArray();
  for (const int64_t time_ns : profile.time_at_ns) json->Value(time_ns / kNanosPerMilli);
  json->EndArray().EndObject();
}

void WriteLogs(const LogRecords& logs, JsonWriter* json) {
  const auto levels = RecordsByLevel(logs);
  json->Key("logs").BeginObject().Member("templates", CountTemplates(logs)).Key("records").BeginObject();
  for (size_t level = 0; level < kLogLevelCount; ++level) {
    const std::string_view name = LogLevelName(static_cast<LogLevel>(level));
    if (levels[level] > 0) json->Member(name.empty() ? "none" : name, levels[level]);
  }
  json->EndObject().EndObject();
}

}  // namespace

void AnalyzeText::Add(const Application& application, const Answers& answers, const std::string& report) {
  if (!text_.empty()) text_ += '\n';
  const TerminalStyle style;
  text_ += SummaryText(answers, style);
  if (const std::string logs = LogLine(application.logs); !logs.empty())
    text_ += SummaryLine(fmt::format("{:<15}{}", "Logs", logs), style);
  if (!application.complete) AddLine("incomplete: the end of its logs is missing or damaged", &text_);
  for (const ApplicationNotice& notice : application.notices) {
    if (notice.notice.level == NoticeLevel::kInformation) continue;
    AddLine(fmt::format("{}: {}", NoticeLevelName(notice.notice.level), notice.notice.text), &text_);
  }
  std::vector<std::string> errors;
  for (const LogError& error : answers.errors) {
    if (error.level >= LogLevel::kError) errors.push_back(ErrorText(error));
  }
  AddList("Errors, newest first", errors, &text_);
  if (!report.empty()) text_ += fmt::format("{:<15}{}\n", "Report", report);
}

std::string AnalyzeText::Render(const ApplicationLoader& loader, const std::vector<InputOutcome>& outcomes,
                                const std::vector<std::pair<std::string, std::string>>& written) const {
  std::string text = text_.empty() ? std::string() : text_ + "\n";
  for (const auto& [kind, path] : written) text += fmt::format("{:<15}{}\n", kind, path);
  text += fmt::format("{:<15}{}\n", "Read", CountKinds(loader.inputs()));
  const InputProblems problems = ProblemsOf(loader.inputs(), loader.recording_status(), outcomes);
  AddList("Partly unreadable", problems.partly, &text);
  AddList("Unrecognized", problems.unrecognized, &text);
  AddList("Notes", problems.notes, &text);
  return text;
}

void AnalyzeJson::Add(const Application& application, const Answers& answers, const std::string& report) {
  last_id_ = application.id;
  const TimeRange range = RangeOf(application);
  applications_.BeginObject()
      .Member("id", application.id)
      .Member("attempt", application.attempt)
      .Member("name", application.name)
      .Member("durationMs", range.Duration() / kNanosPerMilli)
      .Member("ended", application.ended);
  if (!report.empty()) applications_.Member("report", report);
  applications_.Key("summary").Raw(RenderInfoJson({{application, answers}}, nullptr, answers.lines));
  WriteConcurrency(application, &applications_);
  WriteLogs(application.logs, &applications_);
  applications_.Key("errors");
  WriteLogErrors(answers.errors, ErrorMembers::kLevel, &applications_);
  applications_.Key("findings").BeginArray();
  for (const Finding& finding : answers.findings) WriteFinding(application, finding, answers.costs, &applications_);
  applications_.EndArray().Key("notChecked").BeginArray();
  for (const NotChecked& one : answers.rules.not_checked) {
    applications_.BeginObject().Member("what", one.what).Member("reason", one.reason).EndObject();
  }
  applications_.EndArray().EndObject();
}

void AnalyzeJson::AddOutcomes(std::vector<InputOutcome>&& outcomes) {
  for (InputOutcome& outcome : outcomes) outcomes_.emplace_back(last_id_, std::move(outcome));
}

std::string AnalyzeJson::Render(const ApplicationLoader& loader) {
  JsonWriter json;
  json.BeginObject().Key("inputs").BeginArray();
  for (const auto& [id, outcome] : outcomes_) {
    json.BeginObject()
        .Member("path", outcome.input->path)
        .Member("kind", InputKindName(outcome.input->kind))
        .Member("application", id)
        .Member("bytes", outcome.bytes)
        .Member("used", outcome.is_used);
    if (!outcome.problem.empty()) json.Member("problem", outcome.problem);
    json.EndObject();
  }
  for (const InputKind kind : {InputKind::kRecording, InputKind::kLineage}) {
    for (const Input* input : loader.inputs().Of(kind)) {
      json.BeginObject()
          .Member("path", input->path)
          .Member("kind", InputKindName(kind))
          .Member("bytes", input->size)
          .Member("used", true)
          .EndObject();
    }
  }
  json.EndArray().Key("unrecognized").BeginArray();
  for (const Unrecognized& one : loader.inputs().unrecognized)
    json.BeginObject().Member("path", one.path).Member("reason", one.reason).EndObject();
  for (const Input& input : loader.inputs().inputs) {
    if (input.kind == InputKind::kProfile || input.kind == InputKind::kFragment)
      json.BeginObject().Member("path", input.path).Member("reason", ReaderOf(input)).EndObject();
  }
  json.EndArray()
      .Member("notes", loader.inputs().notes)
      .Key("applications")
      .Raw(applications_.EndArray().Take())
      .EndObject();
  return json.Take() + "\n";
}

}  // namespace sparkprof
