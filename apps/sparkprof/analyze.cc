// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <malloc.h>

#include <memory>
#include <optional>

#include "analysis/answers.h"
#include "analysis/selection/known_parts.h"
#include "capture/recording_options.h"
#include "inputs/input_options.h"
#include "inputs/remote_options.h"
#include "inputs/shared_options.h"
#include "loader/application_loader.h"
#include "output/analyze_files.h"
#include "output/analyze_text.h"
#include "output/output_name.h"
#include "output/print_problems.h"
#include "output/progress.h"
#include "verb.h"

namespace sparkprof {
namespace {

constexpr char kDefaultReport[] = "report.html";

struct AnalyzeOptions {
  std::vector<std::string> paths;
  std::string application;
  std::optional<std::string> report;
  std::string output;
  std::string csv;
  bool raw_csv = false;
  std::string source;
  std::string prices;
  bool no_report = false;
  bool no_logs = false;
  bool json = false;
  InputOptions inputs;
};

// Contents of files with this suffix.
struct OutputEnding {
  std::string_view ending;
  std::string_view content;
};

constexpr OutputEnding kReportEnding{".html", "the report"};
constexpr OutputEnding kRecordingEnding{".sprof", "a recording"};

// Fails unless `path` ends in one of `endings`. Standard output ("-"), pipes and devices have no suffix to check.
Result<void> CheckEnding(std::string_view option, const std::string& path,
                         std::initializer_list<OutputEnding> endings) {
  if (path == "-" || IsPipeOrDevice(path)) return {};
  std::string known;
  for (const OutputEnding& ending : endings) {
    if (path.ends_with(ending.ending)) return {};
    known += fmt::format("{}{} ({})", known.empty() ? "" : " or ", ending.ending, ending.content);
  }
  return Fail(fmt::format("{} {}: unsupported file name; it must end in {}", option, path, known));
}

Result<std::vector<size_t>> Wanted(const ApplicationLoader& loader, const std::string& asked) {
  std::vector<size_t> rows;
  std::string known;
  for (size_t row = 0; row < loader.applications().size(); ++row) {
    const ApplicationInputs& application = loader.applications()[row];
    if (IsAsked(asked, application.id, application.attempt)) rows.push_back(row);
    known += (known.empty() ? "" : ", ") + SelectorOf(application.id, application.attempt);
  }
  if (rows.empty() && !asked.empty()) {
    return Fail(fmt::format("application {} not found; the inputs contain: {}", asked, known.empty() ? "none" : known));
  }
  return rows;
}

Result<AnalyzeTargets> Targets(const AnalyzeOptions& options) {
  AnalyzeTargets targets{.report = options.report.value_or(kDefaultReport),
                         .recording = {},
                         .csv = options.csv,
                         .csv_texts = options.raw_csv ? CsvTexts::kRaw : CsvTexts::kGuarded,
                         .source = options.source};
  if (!options.output.empty()) {
    if (Result<void> good = CheckEnding("-o", options.output, {kReportEnding, kRecordingEnding}); !good)
      return tl::unexpected(good.error());
    if (!options.output.ends_with(kReportEnding.ending)) {
      targets.recording = options.output;
    } else if (options.report && *options.report != options.output) {
      return Fail(
          fmt::format("-o {} and --report {} both name a report; use one of them", options.output, *options.report));
    } else {
      targets.report = options.output;
    }
  }
  if (options.no_report) targets.report.clear();
  if (targets.report.empty()) return targets;
  if (Result<void> good = CheckEnding("--report", targets.report, {kReportEnding}); !good)
    return tl::unexpected(good.error());
  return targets;
}

int RunAnalyze(AnalyzeOptions options, const CLI::App& command) {
  if (options.output.empty() && !options.report && !options.no_report) {
    if (const Result<bool> taken = TakePage(&options.paths, &options.output); !taken) {
      return Misuse(command, taken.error().message);
    }
  }
  const Result<AnalyzeTargets> targets = Targets(options);
  if (!targets) return Misuse(command, targets.error().message);
  const Result<std::optional<LogZone>> zone = options.inputs.Zone();
  if (!zone) return Complain(zone.error().message);
  const Result<std::optional<PriceList>> prices = ReadPrices(options.prices);
  if (!prices) return Complain(prices.error().message);
  const LoaderOptions reading{.limits = options.inputs.Limits(),
                              .event_logs = options.inputs.EventLog(),
                              .zone = *zone,
                              .log_records = !options.no_logs};
  Result<ApplicationLoader> loader = [&] {
    const Progress progress("scanning the inputs", BytesOfPaths(options.paths));
    return ApplicationLoader::Find(options.paths, reading);
  }();
  if (!loader) return Complain(loader.error().message);
  const Result<std::vector<size_t>> rows = Wanted(*loader, options.application);
  if (!rows) return Complain(rows.error().message);

  AnalyzeFiles files(*targets, rows->size() > 1);
  if (const Result<void> begun = files.Begin(); !begun) return Complain(begun.error().message);
  AnalyzeText text;
  AnalyzeJson json;
  std::vector<InputOutcome> all_outcomes;
  bool is_answered = false;
  for (const size_t row : *rows) {
    const ApplicationInputs& inputs = loader->applications()[row];
    const Progress progress(fmt::format("reading {}", inputs.id), BytesOfFiles(inputs.FileBytes()));
    std::vector<InputOutcome> outcomes;
    std::vector<Application> applications = loader->Read(row, &outcomes);
    // Returns the readers' memory to the system before the answers and the report need memory.
    malloc_trim(0);
    for (Application& application : applications) {
      const Answers answers = Answer(application, *prices);
      is_answered |= HasData(application);
      const Result<std::string> report = files.Add(application, answers);
      if (!report) return Complain(report.error().message);
      if (options.json) {
        json.Add(application, answers, *report);
      } else {
        text.Add(application, answers, *report);
      }
      if (const Result<void> written = files.WriteReport(&application, answers, *report); !written)
        return Complain(written.error().message);
    }
    all_outcomes.insert(all_outcomes.end(), outcomes.begin(), outcomes.end());
    json.AddOutcomes(std::move(outcomes));
  }
  if (const Result<void> ended = files.Finish(); !ended) return Complain(ended.error().message);
  std::string output;
  if (options.json) output = json.Render(*loader);
  if (!options.json && !rows->empty()) output = text.Render(*loader, all_outcomes, files.Written());
  if (const Result<void> written = WriteOutput("-", output); !written) return Complain(written.error().message);
  if (rows->empty()) {
    return ComplainNothingUsable(options.paths, ProblemsOf(loader->inputs(), loader->recording_status(), all_outcomes));
  }
  if (!is_answered) {
    return Complain(fmt::format("{}: no Spark data and no profile", fmt::join(options.paths, ", ")), kExitNo);
  }
  return is_answered ? kExitSuccess : kExitNo;
}

}  // namespace

std::function<int()> DefineAnalyze(CLI::App& command) {
  const auto options = std::make_shared<AnalyzeOptions>();
  command
      .add_option("PATH", options->paths,
                  "Files, folders and archives: event logs, driver and executor logs, profiler records, recordings")
      ->required();
  AddApplicationTo(command, &options->application);
  AddOption(command, "--report FILE", &options->report,
            fmt::format("The report; for several applications, their index (default: {})", kDefaultReport));
  command.add_flag("--no-report", options->no_report, "Do not write a report");
  AddOption(command, "-o,--output FILE", &options->output,
            "Output file; its name selects the format: .sprof is a recording for other commands, .html the report");
  CLI::Option* const csv_dir =
      AddOption(command, "--csv-dir DIR", &options->csv, "Also write one CSV file per table to this folder");
  command
      .add_flag("--raw-csv", options->raw_csv,
                "Write texts to CSV as they are, without the ' in front of those that a spreadsheet would run")
      ->needs(csv_dir);
  AddSourceTo(command, &options->source);
  AddShareTo(command);
  AddPricesTo(command, &options->prices);
  command.add_flag("--json", options->json, "Print JSON");
  command.add_flag("--no-logs", options->no_logs,
                   "Read only jobs, stages and tasks from text logs, not their lines; several times as fast");
  options->inputs.AddTo(command);
  AcceptUrls(command, &options->paths);
  command.footer(
      "Examples:\n"
      "  sparkprof analyze application_1603128018386_7846.zstd\n"
      "  sparkprof analyze j-CLUSTER/containers/ eventlogs/ -o job.sprof\n"
      "  sparkprof analyze logs.zip --json --no-report | jq '.applications[].findings[].title'");
  return [options, &command] { return RunAnalyze(*options, command); };
}

}  // namespace sparkprof
