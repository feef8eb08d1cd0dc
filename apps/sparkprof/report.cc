// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "analysis/answers.h"
#include "base/json_writer.h"
#include "inputs/inputs.h"
#include "output_name.h"
#include "profile_files.h"
#include "profile_input.h"
#include "progress.h"
#include "recording_options.h"
#include "remote_options.h"
#include "render/report/report_data.h"
#include "render/report/selection_json.h"
#include "share_option.h"
#include "source_option.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct ReportVerbOptions {
  RecordingOptions recording;
  std::string output;
  std::string source;
  bool json = false;
};

std::string ResultJson(const std::string& output, size_t bytes, const Application& application,
                       const Answers& answers) {
  JsonWriter json;
  json.BeginObject().Member("output", output).Member("bytes", bytes).Member("application", application.id);
  json.Key("lines").BeginArray();
  for (const std::string& line : answers.lines) json.Value(line);
  json.EndArray().Key("findings").BeginArray();
  for (const Finding& finding : answers.findings) WriteFinding(finding, &json);
  return json.EndArray().EndObject().Take() + "\n";
}

// Names the command for an input that is a log or a profile.
Result<void> CheckInputs(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const Result<Inputs> found = IsRecording(path, {}) ? Inputs() : FindInputs({path});
    if (!found || found->inputs.size() != 1 || found->inputs.front().path != path) continue;
    const InputKind kind = found->inputs.front().kind;
    if (kind == InputKind::kProfile) {
      return Fail(fmt::format("{}: a profile, not a recording; `sparkprof flame {} -o report.html` writes its page",
                              path, path));
    }
    if (kind == InputKind::kEventLog || kind == InputKind::kStructuredLog) {
      return Fail(fmt::format("{}: {}, not a recording; `sparkprof analyze {}` writes its report", path,
                              kind == InputKind::kEventLog ? "an event log" : "a log", path));
    }
  }
  return {};
}

int RunReport(ReportVerbOptions options, const CLI::App& command) {
  const Result<bool> resolved = TakePage(&options.recording.recordings, &options.output);
  if (!resolved) return Misuse(command, resolved.error().message);
  if (options.output.empty()) options.output = "report.html";
  if (const Result<void> checked = CheckInputs(options.recording.recordings); !checked) {
    return Complain(checked.error().message);
  }
  Result<LoadedRecording> loaded = Load(options.recording);
  if (!loaded) return Complain(loaded.error().message);
  const Application& application = loaded->Longest();
  const Progress progress(fmt::format("writing {}", options.output));
  const Answers answers = Answer(application);
  loaded->ShowLanguage(Language::kMerged, /*fold_pyspark=*/false);
  const Result<SourceFiles> sources = SourcesOf(application, options.source);
  if (!sources) return Complain(sources.error().message);
  const Result<std::string> report =
      RenderReport(application, answers, {.start_tab = {}, .note = loaded->OthersNote(), .sources = &*sources});
  if (!report) return Complain(report.error().message);
  if (const Result<void> written = WriteOutput(options.output, *report); !written)
    return Complain(written.error().message);
  if (options.output == "-") return kExitSuccess;

  std::string text;
  if (options.json) {
    text = ResultJson(options.output, report->size(), application, answers);
  } else {
    for (const std::string& line : answers.lines) text += line + "\n";
    if (!loaded->OthersNote().empty()) text += loaded->OthersNote() + "\n";
    text += fmt::format("{:<15}{}\n", "Report", options.output);
  }
  const Result<void> written = WriteOutput("-", text);
  return written ? kExitSuccess : Complain(written.error().message);
}

}  // namespace

std::function<int()> DefineReport(CLI::App& command) {
  const auto options = std::make_shared<ReportVerbOptions>();
  options->recording.AddTo(command);
  command.add_option("-o,--output", options->output, "Output file; - is standard output (default: report.html)")
      ->type_name("FILE");
  AddSourceTo(command, &options->source);
  AddShareTo(command);
  command.add_flag("--json", options->json, "Print JSON; the summary and the findings");
  AcceptUrls(command, &options->recording.recordings);
  command.footer(
      "Examples:\n"
      "  sparkprof report recording.sprof\n"
      "  sparkprof report recording.sprof --source src/\n"
      "  sparkprof report driver.sprof executors/ -o job.html --json");
  return [options, &command] { return RunReport(*options, command); };
}

}  // namespace sparkprof
