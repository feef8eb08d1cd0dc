// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "analysis/event_tables.h"
#include "event_applications.h"
#include "input_options.h"
#include "table_options.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct EventsOptions {
  std::vector<std::string> arguments;  // PATH… TABLE
  InputOptions inputs;
  TableOptions table;
};

int RunEvents(const EventsOptions& options) {
  std::vector<std::string> paths = options.arguments;
  const auto is_table = [](const std::string& argument) {
    return std::find(kEventTables.begin(), kEventTables.end(), argument) != kEventTables.end();
  };
  if (paths.size() < 2 || !is_table(paths.back())) {
    return Complain(fmt::format("missing PATH or table; use PATH… followed by one of {}; see `sparkprof events --help`",
                                fmt::join(kEventTables, ", ")));
  }
  const std::string table_name = paths.back();
  paths.pop_back();
  const Result<TableQuery> query = TableQuery::Parse(options.table);
  if (!query) return Complain(query.error().message);
  const Result<std::vector<Application>> applications = LoadApplications(options.inputs, paths);
  if (!applications) return Complain(applications.error().message);
  if (applications->empty()) return kExitNo;
  std::vector<Table> tables;
  for (const Application& application : *applications) {
    Result<Table> table = EventTable(application, table_name);
    if (!table) return Complain(table.error().message);
    if (applications->size() > 1) AddApplicationColumns(application, &*table);
    tables.push_back(std::move(*table));
  }
  const Result<void> printed = query->Print(std::move(tables), ShownColumns(table_name));
  if (!printed) return Complain(printed.error().message);
  return kExitSuccess;
}

}  // namespace

std::function<int()> DefineEvents(CLI::App& command) {
  const auto options = std::make_shared<EventsOptions>();
  command
      .add_option("PATH… TABLE", options->arguments,
                  "Event logs, driver and executor logs, recordings, folders and archives of them; followed by jobs, "
                  "stages, tasks, executors, sql, storage, streaming or environment")
      ->required();
  options->inputs.AddZoneTo(command);
  options->inputs.AddThreadsTo(command);
  options->inputs.AddLimitsTo(command);
  options->table.AddTo(command);
  command.footer(
      "Fields have the names of Spark's REST API. Timestamps are ms since the epoch; durations ms, CPU times ns.\n"
      "--where compares with = != < <= > >= and ~ (RE2 regular expression); combine with and, or, not and "
      "parentheses.\n"
      "Examples:\n"
      "  sparkprof events eventlog_v2_app-1/ tasks --where 'status = FAILED' --json\n"
      "  sparkprof events driver.log tasks --zone Europe/Berlin\n"
      "  sparkprof events logs.zip stages --sort executorRunTime:desc --limit 10\n"
      "  sparkprof events recording.sprof sql --where 'description ~ \"join|merge\"'");
  return [options] { return RunEvents(*options); };
}

}  // namespace sparkprof
