// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "analysis/answers.h"
#include "analysis/comparison/finding_changes.h"
#include "analysis/comparison/run_causes.h"
#include "analysis/comparison/run_comparison.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/time.h"
#include "comparison_options.h"
#include "one_application.h"
#include "recording_options.h"
#include "remote_options.h"
#include "render/writers/answer_markdown.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct CompareOptions {
  std::string before, after;
  InputOptions input;
  double fail_above = -1;  // percent; negative = never
  size_t top = 10;
  std::string markdown;
  bool json = false;
};

std::string Signed(double change) { return fmt::format("{:+.1f}%", change * 100); }

double Relative(int64_t before, int64_t after) {
  return before <= 0 ? 0 : static_cast<double>(after - before) / static_cast<double>(before);
}

double ComparedMillis(int64_t ns) { return static_cast<double>(ns) / static_cast<double>(kNanosPerMilli); }

void WriteApplication(const Application& application, int64_t duration_ns, JsonWriter* json) {
  json->BeginObject().Member("id", application.id).Member("name", application.name);
  json->Member("durationMs", ComparedMillis(duration_ns)).EndObject();
}

void WriteTexts(std::string_view key, const std::vector<std::string>& texts, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const std::string& text : texts) json->Value(text);
  json->EndArray();
}

void WriteIds(std::string_view key, const std::vector<int64_t>& ids, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const int64_t id : ids) json->Value(id);
  json->EndArray();
}

void WriteFindings(std::string_view key, const std::vector<const Finding*>& findings, JsonWriter* json) {
  json->Key(key).BeginArray();
  for (const Finding* finding : findings) {
    json->BeginObject().Member("id", finding->id).Member("rule", finding->rule).Member("title", finding->title);
    json->EndObject();
  }
  json->EndArray();
}

std::string Json(const RunComparison& comparison, const std::vector<RunCause>& causes, const FindingChanges& findings,
                 const Application& before, const Application& after) {
  JsonWriter json;
  json.BeginObject().Key("before");
  WriteApplication(before, comparison.before_ns, &json);
  json.Key("after");
  WriteApplication(after, comparison.after_ns, &json);
  json.Member("changePercent", comparison.Change() * 100);
  WriteTexts("environment", comparison.causes, &json);
  json.Key("causes").BeginArray();
  for (const RunCause& cause : causes) {
    json.BeginObject().Member("kind", cause.kind).Key("stage");
    if (cause.stage) {
      json.Value(*cause.stage);
    } else {
      json.Null();
    }
    json.Member("text", cause.text).Member("deltaMs", ComparedMillis(cause.delta_ns)).EndObject();
  }
  json.EndArray().Key("stages").BeginArray();
  for (const StageChange& stage : comparison.stages) {
    json.BeginObject().Member("name", stage.name);
    WriteIds("stagesBefore", stage.before_ids, &json);
    WriteIds("stagesAfter", stage.after_ids, &json);
    json.Member("beforeMs", ComparedMillis(stage.before_ns)).Member("afterMs", ComparedMillis(stage.after_ns));
    json.Member("tasksBeforeMs", ComparedMillis(stage.before_tasks_ns))
        .Member("tasksAfterMs", ComparedMillis(stage.after_tasks_ns));
    WriteTexts("causes", stage.causes, &json);
    json.EndObject();
  }
  json.EndArray().Key("settings").BeginArray();
  for (const SettingChange& setting : comparison.settings) {
    json.BeginObject().Member("name", setting.name).Key("before");
    setting.before.empty() ? json.Null() : json.Value(setting.before);
    json.Key("after");
    setting.after.empty() ? json.Null() : json.Value(setting.after);
    json.EndObject();
  }
  json.EndArray().Key("findings").BeginObject();
  WriteFindings("gone", findings.gone, &json);
  WriteFindings("new", findings.added, &json);
  return json.EndObject().EndObject().Take() + "\n";
}

std::string FindingLines(const char* heading, const std::vector<const Finding*>& findings) {
  if (findings.empty()) return {};
  std::string text = fmt::format("{} ({})\n", heading, findings.size());
  for (const Finding* finding : findings) text += fmt::format("  {}\n", finding->title);
  return text;
}

std::string StageLine(const StageChange& stage) {
  const bool is_in_both = !stage.before_ids.empty() && !stage.after_ids.empty();
  std::string line =
      fmt::format("  {:>9} -> {:>9} {:>8}  {}", FormatDuration(stage.before_ns), FormatDuration(stage.after_ns),
                  is_in_both ? Signed(Relative(stage.before_ns, stage.after_ns)) : "", stage.name);
  if (is_in_both) {
    line += fmt::format(" (stages {} -> {})", fmt::join(stage.before_ids, ", "), fmt::join(stage.after_ids, ", "));
  }
  line += "\n";
  for (const std::string& cause : stage.causes) line += fmt::format("  {:>33}{}\n", "", cause);
  return line;
}

std::string Text(const RunComparison& comparison, const std::vector<RunCause>& causes, const FindingChanges& findings,
                 const Application& before, const Application& after, size_t top) {
  std::string text = fmt::format("{} ({}) -> {} ({}): {} -> {}, {}\n", before.name, before.id, after.name, after.id,
                                 FormatDuration(comparison.before_ns), FormatDuration(comparison.after_ns),
                                 Signed(comparison.Change()));
  for (const std::string& cause : comparison.causes) text += fmt::format("  {}\n", cause);
  if (!causes.empty() && top > 0) text += "Causes, largest first\n";
  for (size_t i = 0; i < causes.size() && i < top; ++i) {
    const int64_t delta_ns = causes[i].delta_ns;
    text +=
        fmt::format("  {:>9}  {}\n", (delta_ns > 0 ? "+" : "-") + FormatDuration(std::abs(delta_ns)), causes[i].text);
  }
  text += FindingLines("Findings that are gone", findings.gone) + FindingLines("New findings", findings.added);
  text += fmt::format("Stages, largest change first ({} of {})\n", std::min(top, comparison.stages.size()),
                      comparison.stages.size());
  for (size_t i = 0; i < comparison.stages.size() && i < top; ++i) text += StageLine(comparison.stages[i]);
  if (!comparison.settings.empty()) text += fmt::format("Settings ({})\n", comparison.settings.size());
  for (const SettingChange& setting : comparison.settings) {
    const auto value = [](const std::string& one) { return one.empty() ? "not set" : Shorten(one, 60); };
    text += fmt::format("  {}: {} -> {}\n", setting.name, value(setting.before), value(setting.after));
  }
  return text;
}

int RunCompare(const CompareOptions& options) {
  const Result<std::optional<Application>> loaded_before = LoadOneApplication(options.before, {}, options.input);
  if (!loaded_before) return Complain(loaded_before.error().message);
  const Result<std::optional<Application>> loaded_after = LoadOneApplication(options.after, {}, options.input);
  if (!loaded_after) return Complain(loaded_after.error().message);
  if (!*loaded_before || !*loaded_after) return kExitNo;
  const std::optional<Application>&before = *loaded_before, &after = *loaded_after;
  const RunComparison comparison = CompareRuns(*before, *after);
  const Answers answers_before = Answer(*before), answers_after = Answer(*after);
  const std::vector<RunCause> causes =
      CausesOfChange(comparison, *before, answers_before.stages, *after, answers_after.stages);
  const FindingChanges findings = CompareFindings(*before, answers_before, *after, answers_after);
  if (!options.markdown.empty()) {
    const Result<void> written =
        WriteOutput(options.markdown, RunsMarkdown(*before, *after, comparison, causes, findings, options.top));
    if (!written) return Complain(written.error().message);
  }
  const Result<void> written =
      WriteOutput("-", options.json ? Json(comparison, causes, findings, *before, *after)
                                    : Text(comparison, causes, findings, *before, *after, options.top));
  if (!written) return Complain(written.error().message);
  if (options.fail_above < 0 || comparison.Change() * 100 <= options.fail_above) return kExitSuccess;
  return Complain(fmt::format("{} took {:.1f}% longer than {}, more than {:g}%", options.after,
                              comparison.Change() * 100, options.before, options.fail_above),
                  kExitNo);
}

}  // namespace

std::function<int()> DefineCompare(CLI::App& command) {
  const auto options = std::make_shared<CompareOptions>();
  command
      .add_option("BEFORE", options->before,
                  "The baseline: an event log, a recording, or logs of a job; a file or a folder")
      ->required();
  command.add_option("AFTER", options->after, "The run to compare with the baseline")->required();
  command.add_option("--fail-above", options->fail_above, std::string(kFailAbovePurpose) + "; the duration")
      ->type_name("PERCENT")
      ->transform(Percentage());
  command.add_option("--top", options->top, kTopPurpose)->capture_default_str()->type_name("NUMBER");
  command.add_option("--markdown", options->markdown, "Also write Markdown")->type_name("FILE");
  command.add_flag("--json", options->json, "Print JSON");
  options->input.AddZoneTo(command);
  options->input.AddThreadsTo(command);
  AcceptUrls(command, {&options->before, &options->after});
  options->input.AddLimitsTo(command);
  command.footer(
      "Matches the stages of two runs by their plan and line of code, and prints which got slower and why, and\n"
      "which findings are gone or new.\n"
      "Examples:\n"
      "  sparkprof compare yesterday.zstd today.zstd\n"
      "  sparkprof compare baseline.sprof sparkprof-output/recording.sprof --fail-above 10%\n"
      "  sparkprof compare a.zstd b.zstd --json | jq '.stages[0]'");
  return [options] { return RunCompare(*options); };
}

}  // namespace sparkprof
