// SPDX-License-Identifier: Apache-2.0
#include "event_applications.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "event_log/event_log_reader.h"
#include "loader/application_loader.h"
#include "print_problems.h"
#include "progress.h"
#include "verb.h"

namespace sparkprof {
namespace {

std::vector<Application> ReadOnlyEventLogs(const ApplicationLoader& loader, const EventLogOptions& options) {
  std::vector<const Input*> inputs;
  for (const ApplicationInputs& application : loader.applications()) {
    if (!application.recorded)
      inputs.insert(inputs.end(), application.event_logs.begin(), application.event_logs.end());
  }
  EventLogs logs = ReadEventLogs(inputs, options);
  for (const EventLogStatus& log : logs.logs) {
    if (!log.problem.empty()) Complain(fmt::format("{}; the rest of {} is missing", log.problem, log.path));
    if (!log.same_as.empty())
      Complain(fmt::format("{}: skipped, {} has more data of the same application", log.path, log.same_as));
    if (log.damaged_lines + log.dropped_lines > 0) {
      Complain(fmt::format("{}: {}", log.path, SkippedLines(log.damaged_lines, log.dropped_lines)));
    }
  }
  return std::move(logs.applications);
}

bool IsEmpty(const Application& application) {
  return application.jobs.empty() && application.stages.empty() && application.tasks.Size() == 0 &&
         application.executors.empty() && application.sql_executions.empty();
}

// Adds the application of a row without an event log or a recording.
void AddOther(size_t row, ApplicationLoader* loader, std::vector<Application>* applications,
              std::vector<InputOutcome>* all_outcomes) {
  const bool from_text_only = !loader->applications()[row].recorded;
  std::vector<InputOutcome> outcomes;
  for (Application& application : loader->Read(row, &outcomes)) {
    if (!from_text_only || !IsEmpty(application)) applications->push_back(std::move(application));
  }
  all_outcomes->insert(all_outcomes->end(), outcomes.begin(), outcomes.end());
}

std::string WhyNothing(const Inputs& inputs) {
  if (!inputs.unrecognized.empty())
    return fmt::format("{}: {}", inputs.unrecognized[0].path, inputs.unrecognized[0].reason);
  if (inputs.inputs.empty()) return "found none";
  const Input& first = inputs.inputs[0];
  return first.kind == InputKind::kTextLog || first.kind == InputKind::kStructuredLog
             ? fmt::format("{} is a {} without jobs, stages, tasks or executors", first.path, InputKindName(first.kind))
             : fmt::format("{} is a {}", first.path, InputKindName(first.kind));
}

}  // namespace

Result<std::vector<Application>> LoadApplications(const InputOptions& options, const std::vector<std::string>& paths) {
  const Progress progress("reading");
  const Result<std::optional<LogZone>> zone = options.Zone();
  if (!zone) return tl::unexpected(zone.error());
  Result<ApplicationLoader> loader = ApplicationLoader::Find(
      paths, {.limits = options.Limits(), .event_logs = options.EventLog(), .zone = *zone, .log_records = false});
  if (!loader) return tl::unexpected(loader.error());
  std::vector<Application> applications = ReadOnlyEventLogs(*loader, options.EventLog());
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    const ApplicationInputs& inputs = loader->applications()[row];
    if (inputs.recorded || (inputs.event_logs.empty() && !inputs.text_logs.empty()))
      AddOther(row, &*loader, &applications, &outcomes);
  }
  if (applications.empty()) {
    Complain(fmt::format("{}: not an event log, a recording, or logs of a driver or executor: {}",
                         fmt::join(paths, ", "), WhyNothing(loader->inputs())),
             kExitNo);
    return applications;
  }
  PrintProblems(ProblemsOf(loader->inputs(), loader->recording_status(), outcomes));
  return applications;
}

void AddApplicationColumns(const Application& application, Table* table) {
  table->columns.insert(table->columns.begin(),
                        {{"applicationId", [&application](size_t) { return Cell(std::string_view(application.id)); }},
                         {"applicationAttemptId", [&application](size_t) {
                            return application.attempt.empty() ? Cell() : Cell(std::string_view(application.attempt));
                          }}});
}

}  // namespace sparkprof
