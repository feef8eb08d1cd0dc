// SPDX-License-Identifier: Apache-2.0
#include <unordered_map>
#include <utility>

#include "loader/input_lines.h"
#include "loader/input_loaders.h"
#include "model/application_index.h"
#include "model/redaction/redaction.h"
#include "text_log/text_log_reader.h"

namespace sparkprof {
namespace {

// Maps executor rows of `by_log` to those of `application`.
std::vector<int32_t> MapExecutors(const Application& by_log, Application* application) {
  ApplicationIndex index(application);
  std::vector<int32_t> rows;
  for (const Executor& executor : by_log.executors) {
    const int32_t row = index.Executor(executor.id);
    rows.push_back(row);
    if (row < 0) continue;
    std::string& host = application->executors[static_cast<size_t>(row)].host;
    if (host.empty()) host = executor.host;
  }
  return rows;
}

void TakeLogs(Application&& by_log, Application* application) {
  const std::vector<int32_t> executors = MapExecutors(by_log, application);
  application->logs = std::move(by_log.logs);
  for (int32_t& executor : application->logs.executor) {
    if (executor >= 0) executor = executors[static_cast<size_t>(executor)];
  }
  for (Loss& loss : by_log.losses) application->losses.push_back(std::move(loss));
}

// Identifies the log's JVM by the path if the log itself does not.
void FillExecutors(const std::vector<const Input*>& logs, Application* application) {
  LogRecords& records = application->logs;
  std::unordered_map<std::string_view, const Input*> by_path;
  for (const Input* log : logs) by_path.emplace(log->path, log);
  ApplicationIndex index(application);
  std::vector<int32_t> of_source;
  for (const std::string& source : records.sources) {
    const auto input = by_path.find(source);
    of_source.push_back(input == by_path.end() ? -1 : index.Executor(input->second->executor));
  }
  for (size_t row = 0; row < records.Size(); ++row) {
    if (records.executor[row] < 0) records.executor[row] = of_source[records.source[row]];
  }
}

}  // namespace

void AddTextLogs(const std::vector<const Input*>& logs, const ProfilerRecords& records, const LoaderOptions& options,
                 Application* application, std::vector<InputOutcome>* outcomes) {
  if (logs.empty()) return;
  const bool alone = application->tasks.Size() == 0 && application->jobs.empty();
  if (!alone && !options.log_records) {
    for (const Input* log : logs) outcomes->push_back({log, 0, {}, false});
    return;
  }
  Application scratch;
  Application* const target = alone ? application : &scratch;
  TextLogReader reader(target, {.templates = options.log_records});
  const std::vector<LogZone> zones = ZonesOf(logs, records, options, *application);
  InputLines inputs(logs, options.event_logs.lines);
  bool whole = true;
  for (size_t i = 0; i < logs.size(); ++i) {
    reader.BeginFile(logs[i]->path, {zones[i], logs[i]->changed_ns});
    outcomes->push_back(inputs.ReadNext([&](std::string_view lines) { reader.AddLines(lines); }));
    reader.EndFile();
    whole = whole && outcomes->back().problem.empty();
  }
  reader.Finish();
  if (alone) {
    application->complete = application->ended && whole;
    RedactApplication(application);
  } else {
    RedactLogs(&scratch.logs);
    TakeLogs(std::move(scratch), application);
  }
  FillExecutors(logs, application);
}

}  // namespace sparkprof
