// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <optional>

#include "inputs/input_options.h"
#include "inputs/remote_options.h"
#include "loader/log_files.h"
#include "output/logs_answers.h"
#include "output/print_problems.h"
#include "output/progress.h"
#include "pictures/selection_options.h"
#include "text_log/log_filter.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct LogsOptions {
  std::vector<std::string> paths;
  LogFilterOptions filter;
  bool errors = false;
  bool templates = false;
  bool assign = false;
  bool chunks = false;
  bool json = false;
  InputOptions inputs;
};

std::unique_ptr<LogAnswer> MakeAnswer(const LogsOptions& options, size_t files) {
  if (options.errors) return MakeErrorsAnswer(options.json);
  if (options.chunks) return MakeChunksAnswer(options.json);
  if (options.assign) return MakeAssignAnswer(options.json);
  if (options.templates) return MakeTemplatesAnswer(options.json);
  return MakeRecordsAnswer(options.json, files > 1);
}

int RunLogs(const LogsOptions& options) {
  if (options.errors + options.templates + options.chunks > 1) {
    return Complain("--errors, --templates and --chunks are mutually exclusive");
  }
  if (options.assign && !options.templates) return Complain("--assign requires --templates");
  const Result<std::optional<LogZone>> zone = options.inputs.Zone();
  if (!zone) return Complain(zone.error().message);
  LoaderOptions loader{
      .limits = options.inputs.Limits(), .event_logs = options.inputs.EventLog(), .zone = *zone, .log_records = false};
  if (options.assign) {
    // The number of IDs must equal the number of lines, and does not depend on times.
    loader.limits.divide_yarn_text = false;
    loader.zone = LogZone();
  }
  InputProblems problems;
  const Result<std::vector<LogFile>> logs = FindLogs(options.paths, loader, &problems);
  if (!logs) return Complain(logs.error().message, AreReadable(options.paths) ? kExitNo : kExitUsage);
  const std::unique_ptr<LogAnswer> answer = MakeAnswer(options, logs->size());
  const Progress progress("reading logs", BytesOfPaths(options.paths));
  for (const LogFile& log : *logs) {
    Result<LogFilter> filter = LogFilter::Make(options.filter, log.options.zone);
    if (!filter) return Complain(filter.error().message);
    if (options.assign && !filter->TakesAll()) {
      return Complain("--assign prints an ID for each line: omit --level, --from, --to, --grep, --stage and --task");
    }
    answer->BeginFile(log.path, &*filter);
    const Result<ReadLog> read = ReadLogRecords(log, options.inputs.EventLog().lines, answer.get());
    if (!read) return Complain(read.error().message);
    answer->EndFile(read->lines);
    if (!read->problem.empty()) problems.partly.push_back(read->problem);
  }
  PrintProblems(problems);
  if (answer->Print()) return kExitSuccess;
  return Complain(fmt::format("{}: no such records", fmt::join(options.paths, ", ")), kExitNo);
}

}  // namespace

std::function<int()> DefineLogs(CLI::App& command) {
  const auto options = std::make_shared<LogsOptions>();
  AddOption(command, "paths PATH", &options->paths,
            "Logs, compressed or not, and recordings with logs; folders and archives of them")
      ->required();
  command.add_flag("--errors", options->errors, "Print warnings and errors, grouped, newest first");
  command.add_flag("--templates", options->templates, "Print message templates with counts");
  command.add_flag("--assign", options->assign, "With --templates: print the template ID of each line");
  command.add_flag("--chunks", options->chunks, "Print repeated sequences of messages, most frequent first");
  AddOption(command, "--level LEVEL", &options->filter.level, "Select records of this level and above");
  AddOption(command, "--from TIME", &options->filter.from, kFromHelp);
  AddOption(command, "--to TIME", &options->filter.to, kToHelp);
  AddOption(command, "--grep REGEX", &options->filter.grep, "Select records that match this RE2 regular expression");
  AddOption(command, "--stage STAGE", &options->filter.stage, "Select a stage; records that mention it or its tasks");
  AddOption(command, "--task TID", &options->filter.task, "Select a task by its TID; records that mention it");
  command.add_flag("--json", options->json, "Print JSON");
  options->inputs.AddZoneTo(command);
  options->inputs.AddThreadsTo(command);
  AcceptUrls(command, &options->paths);
  options->inputs.AddLimitsTo(command);
  command.footer(
      "By default, prints the records of all files, merged by time.\n"
      "Exits with code 1 if there is nothing to print.\n"
      "Examples:\n"
      "  sparkprof logs logs/ --errors\n"
      "  sparkprof logs http://collector:8320/applications/application_1603128018386_7846 --errors\n"
      "  sparkprof logs driver.log executor-*.log.gz --stage 3 --level WARN\n"
      "  sparkprof logs stderr.gz --templates --json | jq '.[] | select(.levels.ERROR)'");
  return [options] { return RunLogs(*options); };
}

}  // namespace sparkprof
