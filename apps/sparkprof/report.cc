// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "analysis/answers.h"
#include "analysis/selection/known_parts.h"
#include "base/text/escaped_text.h"
#include "base/text/json_writer.h"
#include "capture/recording_options.h"
#include "inputs/input_options.h"
#include "inputs/inputs.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "loader/application_loader.h"
#include "output/output_name.h"
#include "output/print_problems.h"
#include "output/progress.h"
#include "output/report_files.h"
#include "output/summary_text.h"
#include "render/report/answers_json.h"
#include "render/report/report_data.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct ReportVerbOptions {
  RecordingOptions recording;
  EventLogWindow window;
  std::string output;
  std::string source;
  std::string traces;
  std::string prices;
  bool json = false;
};

std::string ResultJson(const std::string& output, size_t bytes, const Application& application,
                       const Answers& answers) {
  JsonWriter json;
  json.BeginObject().Member("output", output).Member("bytes", bytes).Member("application", application.id);
  json.Member("lines", answers.lines).Key("findings").BeginArray();
  for (const Finding& finding : answers.findings) WriteFinding(application, finding, answers.costs, &json);
  return json.EndArray().EndObject().Take() + "\n";
}

// Loads the applications of everything that a job left behind: recordings, event logs and text logs. If there are none,
// prints that and returns nullopt.
Result<std::optional<LoadedRecording>> LoadReported(const RecordingOptions& options, const EventLogWindow& window) {
  const std::vector<std::string>& paths = options.recordings;
  const Progress progress("reading", BytesOfPaths(paths));
  Result<ApplicationLoader> loader = ApplicationLoader::Find(paths, {.event_logs = {.window = window}});
  if (!loader) return tl::unexpected(loader.error());
  Recording read;
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    for (Application& application : loader->Read(row, &outcomes)) read.applications.push_back(std::move(application));
  }
  const InputProblems problems = ProblemsOf(loader->inputs(), loader->recording_status(), outcomes);
  if (std::any_of(read.applications.begin(), read.applications.end(), HasData)) {
    PrintProblems(problems);
    Result<LoadedRecording> selected = SelectApplications(std::move(read), options);
    if (!selected) return tl::unexpected(selected.error());
    return std::move(*selected);
  }
  std::string none;
  if (const auto profiles = loader->inputs().Of(InputKind::kProfile); !profiles.empty()) {
    const std::string& path = profiles.front()->path;
    none = fmt::format("{}: a profile, not of a job; `sparkprof flame {} -o report.html` writes its page", path,
                       ShellWord(path));
  } else {
    none = fmt::format("{}; expected a recording, an event log, or logs of a driver or executor",
                       problems.unrecognized.empty() ? fmt::format("{}: no application found", fmt::join(paths, ", "))
                                                     : problems.unrecognized.front());
  }
  if (!AreReadable(paths)) return Fail(none);
  Complain(none);
  return std::nullopt;
}

int RunReport(ReportVerbOptions options, const CLI::App& command) {
  const Result<bool> resolved = TakePage(&options.recording.recordings, &options.output);
  if (!resolved) return Misuse(command, resolved.error().message);
  const bool only_traces = options.output.empty() && !options.traces.empty();
  if (options.output.empty()) options.output = "report.html";
  const std::string input = UrlOf(options.recording.recordings.empty() ? "" : options.recording.recordings.front());
  Result<std::optional<LoadedRecording>> reported = LoadReported(options.recording, options.window);
  if (!reported) return Complain(reported.error().message);
  if (!*reported) return kExitNo;
  LoadedRecording* const loaded = &**reported;
  // Returns the readers' memory to the system before the answers and the report need memory.
  malloc_trim(0);
  const Application& application = loaded->Longest();
  const Progress progress(fmt::format("writing {}", options.output));
  const Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  Answers answers = Answer(application, *prices);
  AddAccountSums(application, &answers);
  if (!options.traces.empty()) {
    if (const Result<void> written = WriteTraces(application, answers, input, options.traces); !written)
      return Complain(written.error().message);
    if (only_traces) return kExitSuccess;
  }
  loaded->ShowLanguage(Language::kMerged, /*fold_pyspark=*/false);
  const Result<SourceFiles> sources = SourcesOf(application, options.source);
  if (!sources) return Complain(sources.error().message);
  const Result<std::string> report =
      RenderReport(application, answers, {.start_tab = {}, .note = loaded->OthersNote(), .sources = &*sources});
  if (!report) return Complain(report.error().message);
  if (const Result<void> written = WriteOutput(options.output, *report); !written)
    return Complain(written.error().message);
  if (options.output == "-") return kExitSuccess;
  RememberReport(options.output);

  std::string text;
  if (options.json) {
    text = ResultJson(options.output, report->size(), application, answers);
  } else {
    text = SummaryText(answers, TerminalStyle());
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
  AddWindowTo(command, &options->window);
  AddOption(command, "-o,--output FILE", &options->output, "Output file; - is standard output (default: report.html)");
  AddOption(command, "--traces FILE|URL", &options->traces,
            "Also write spans as OTLP traces, JSON; http://…/v1/traces sends them. Without -o, no report is written");
  AddSourceTo(command, &options->source);
  AddShareTo(command);
  AddPricesTo(command, &options->prices);
  command.add_flag("--json", options->json, "Print JSON; the summary and the findings");
  AcceptUrls(command, &options->recording.recordings);
  command.footer(
      "Examples:\n"
      "  sparkprof report recording.sprof\n"
      "  sparkprof report eventlog_v2_app-1/ logs/ -o job.html\n"
      "  sparkprof report recording.sprof --source src/\n"
      "  sparkprof report driver.sprof executors/ -o job.html --json\n"
      "  sparkprof report recording.sprof --traces http://otel-collector:4318/v1/traces");
  return [options, &command] { return RunReport(*options, command); };
}

}  // namespace sparkprof
