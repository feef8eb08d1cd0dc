// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/process_rows.h"
#include "recording_options.h"
#include "table_options.h"
#include "verb.h"

namespace sparkprof {
namespace {

struct ProcessesOptions {
  RecordingOptions recording;
  TableOptions table;
};

int RunProcesses(const ProcessesOptions& options) {
  const Result<TableQuery> query = TableQuery::Parse(options.table);
  if (!query) return Complain(query.error().message);
  const Result<LoadedRecording> loaded = Load(options.recording);
  if (!loaded) return Complain(loaded.error().message);
  std::vector<std::vector<ProcessRow>> rows;
  for (const Application* application : loaded->applications) rows.push_back(ProcessRows(*application));
  MergeDays(&rows);
  std::vector<Table> tables;
  for (const std::vector<ProcessRow>& of_application : rows) tables.push_back(ProcessesTable(of_application));
  static const std::vector<std::string_view> kShown = {
      "pid", "ppid", "type", "application", "executor", "cpuSeconds", "maxCpuPercent", "maxRssBytes", "command"};
  const Result<void> printed = query->Print(std::move(tables), kShown);
  return printed ? kExitSuccess : Complain(printed.error().message);
}

}  // namespace

std::function<int()> DefineProcesses(CLI::App& command) {
  const auto options = std::make_shared<ProcessesOptions>();
  options->recording.AddTo(command);
  options->table.AddTo(command);
  command.footer(
      "Reads recordings of jobs and of nodes (`sparkprof monitor`); a process in both is one row. Timestamps are ms\n"
      "since the epoch. CPU time counts from the process's start and includes children that were too short for a row.\n"
      "Examples:\n"
      "  sparkprof processes sparkprof-output/recording.sprof\n"
      "  sparkprof processes nodes/ recording.sprof --where 'type = python_worker' --sort maxRssBytes:desc\n"
      "  sparkprof processes nodes/ --json --where 'application = application_1700000000000_0042'");
  return [options] { return RunProcesses(*options); };
}

}  // namespace sparkprof
