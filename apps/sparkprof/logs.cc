// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <optional>

#include "input_options.h"
#include "loader/log_files.h"
#include "logs_answers.h"
#include "progress.h"
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
    return Complain("--errors, --templates and --chunks exclude each other");
  }
  if (options.assign && !options.templates) return Complain("--assign goes with --templates only");
  const Result<std::optional<LogZone>> zone = options.inputs.Zone();
  if (!zone) return Complain(zone.error().message);
  LoaderOptions loader{
      .limits = options.inputs.Limits(), .event_logs = options.inputs.EventLog(), .zone = *zone, .log_records = false};
  if (options.assign) {
    // As many ids as a text has lines, whatever it is; and they do not depend on times.
    loader.limits.divide_yarn_text = false;
    loader.zone = LogZone();
  }
  const Result<std::vector<LogFile>> logs = FindLogs(options.paths, loader);
  if (!logs) return Complain(logs.error().message);
  const std::unique_ptr<LogAnswer> answer = MakeAnswer(options, logs->size());
  const Progress progress("reading logs");
  for (const LogFile& log : *logs) {
    Result<LogFilter> filter = LogFilter::Make(options.filter, log.zone);
    if (!filter) return Complain(filter.error().message);
    if (options.assign && !filter->TakesAll()) {
      return Complain("--assign prints an id for each line: it takes no selection of records");
    }
    answer->BeginFile(log.path, &*filter);
    const Result<ReadLog> read = ReadLogRecords(log, options.inputs.EventLog().lines, {log.zone}, answer.get());
    if (!read) return Complain(read.error().message);
    answer->EndFile(read->lines);
    if (!read->problem.empty()) Complain(read->problem);
  }
  return answer->Print() ? kExitSuccess : kExitNo;
}

}  // namespace

std::function<int()> DefineLogs(CLI::App& command) {
  const auto options = std::make_shared<LogsOptions>();
  command.add_option("paths", options->paths, "Logs, compressed or not, or folders that have them")
      ->required()
      ->type_name("PATH");
  command.add_flag("--errors", options->errors, "Warnings and errors, the same ones once, newest first");
  command.add_flag("--templates", options->templates, "What messages have in common, with counts");
  command.add_flag("--assign", options->assign, "With --templates: the template's id of each line");
  command.add_flag("--chunks", options->chunks, "Sequences of messages that repeat, most often first");
  command.add_option("--level", options->filter.level, "Records of this level and above")->type_name("LEVEL");
  command.add_option("--since", options->filter.since, "Records from this time on")->type_name("TIME");
  command.add_option("--until", options->filter.until, "Records up to this time")->type_name("TIME");
  command.add_option("--grep", options->filter.grep, "Records that this regular expression (RE2) finds something in")
      ->type_name("REGEX");
  command.add_option("--stage", options->filter.stage, "Records that speak of this stage or its tasks")
      ->type_name("ID");
  command.add_option("--task", options->filter.task, "Records that speak of the task with this TID")->type_name("TID");
  command.add_flag("--json", options->json, "Print JSON");
  options->inputs.AddZoneTo(command);
  options->inputs.AddThreadsTo(command);
  options->inputs.AddLimitsTo(command);
  command.footer(
      "Prints the records, merged by time over all files, if nothing else is asked for.\n"
      "Exits 1 when there is nothing to print.\n"
      "Examples:\n"
      "  sparkprof logs logs/ --errors\n"
      "  sparkprof logs driver.log executor-*.log.gz --stage 3 --level WARN\n"
      "  sparkprof logs stderr.gz --templates --json | jq '.[] | select(.levels.ERROR)'");
  return [options] { return RunLogs(*options); };
}

}  // namespace sparkprof
