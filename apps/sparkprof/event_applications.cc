// SPDX-License-Identifier: Apache-2.0
#include "event_applications.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "event_log/event_log_reader.h"
#include "loader/application_loader.h"
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
void AddOther(size_t row, ApplicationLoader* loader, std::vector<Application>* applications) {
  const bool from_text_only = !loader->applications()[row].recorded;
  std::vector<InputOutcome> outcomes;
  for (Application& application : loader->Read(row, &outcomes)) {
    if (!from_text_only || !IsEmpty(application)) applications->push_back(std::move(application));
  }
  for (const InputOutcome& outcome : outcomes) {
    if (!outcome.problem.empty()) Complain(fmt::format("{}: {}", outcome.input->path, outcome.problem));
  }
}

std::string WhyNothing(const Inputs& inputs) {
  if (!inputs.unrecognised.empty())
    return fmt::format("{}: {}", inputs.unrecognised[0].path, inputs.unrecognised[0].reason);
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
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    const ApplicationInputs& inputs = loader->applications()[row];
    if (inputs.recorded || (inputs.event_logs.empty() && !inputs.text_logs.empty()))
      AddOther(row, &*loader, &applications);
  }
  const Inputs& inputs = loader->inputs();
  for (const std::string& note : inputs.notes) Complain(note);
  if (applications.empty()) {
    return Fail(fmt::format("{}: not an event log, a recording, or logs of a driver or executor: {}",
                            fmt::join(paths, ", "), WhyNothing(inputs)));
  }
  if (!inputs.unrecognised.empty()) {
    const Unrecognised& first = inputs.unrecognised[0];
    Complain(fmt::format("{} unrecognized files, the first is {}: {}", inputs.unrecognised.size(), first.path,
                         first.reason));
  }
  return applications;
}

std::string SkippedLines(int64_t invalid, int64_t overlong) {
  std::vector<std::string> parts;
  const auto add = [&](int64_t count, const char* kind) {
    if (count > 0) parts.push_back(fmt::format("{} {} line{}", count, kind, count == 1 ? "" : "s"));
  };
  add(invalid, "invalid");
  add(overlong, "overlong");
  return fmt::format("skipped {}", fmt::join(parts, " and "));
}

void AddApplicationColumns(const Application& application, Table* table) {
  table->columns.insert(table->columns.begin(),
                        {{"applicationId", [&application](size_t) { return Cell(std::string_view(application.id)); }},
                         {"applicationAttemptId", [&application](size_t) {
                            return application.attempt.empty() ? Cell() : Cell(std::string_view(application.attempt));
                          }}});
}

}  // namespace sparkprof
