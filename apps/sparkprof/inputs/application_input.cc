// SPDX-License-Identifier: Apache-2.0
#include "inputs/application_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <utility>

#include "analysis/selection/known_parts.h"
#include "capture/record_inputs.h"
#include "capture/recording_options.h"
#include "event_log/event_log_reader.h"
#include "inputs/remote_options.h"
#include "loader/application_loader.h"
#include "model/application_times.h"
#include "output/print_problems.h"
#include "output/progress.h"
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
    if (!log.window.empty()) Complain(fmt::format("{}: {}", log.path, log.window));
    if (!log.same_as.empty())
      Complain(fmt::format("{}: skipped, {} has more data of the same application", log.path, log.same_as));
    if (log.damaged_lines + log.dropped_lines > 0) {
      Complain(fmt::format("{}: {}", log.path, SkippedLines(log.damaged_lines, log.dropped_lines)));
    }
  }
  for (Application& application : logs.applications) BoundTimes(&application);
  return std::move(logs.applications);
}

// Adds the application of a row without an event log or a recording.
void AddOther(size_t row, ApplicationLoader* loader, std::vector<Application>* applications,
              std::vector<InputOutcome>* all_outcomes) {
  if (loader->applications()[row].IsFragment()) return;
  const bool from_text_only = !loader->applications()[row].recorded;
  std::vector<InputOutcome> outcomes;
  for (Application& application : loader->Read(row, &outcomes)) {
    if (!from_text_only || HasData(application)) applications->push_back(std::move(application));
  }
  all_outcomes->insert(all_outcomes->end(), outcomes.begin(), outcomes.end());
}

std::string WhyNothing(const Inputs& inputs) {
  if (!inputs.unrecognized.empty())
    return fmt::format("{}: {}", inputs.unrecognized[0].path, inputs.unrecognized[0].reason);
  if (inputs.inputs.empty()) return "found none";
  const Input& first = inputs.inputs[0];
  if (first.fragment != nullptr) return fmt::format("{} is {}", first.path, ReaderOf(first));
  return first.kind == InputKind::kTextLog || first.kind == InputKind::kStructuredLog
             ? fmt::format("{} is a {} without jobs, stages, tasks or executors", first.path, InputKindName(first.kind))
             : fmt::format("{} is a {}", first.path, InputKindName(first.kind));
}

Result<ApplicationLoader> FindAll(const ApplicationInput& input) {
  const Result<std::optional<LogZone>> zone = input.options.Zone();
  if (!zone) return tl::unexpected(zone.error());
  return ApplicationLoader::Find(
      input.paths,
      {.limits = input.options.Limits(), .event_logs = input.options.EventLog(), .zone = *zone, .log_records = false});
}

// Keeps the requested application; the error lists the existing ones.
Result<void> KeepApplication(const ApplicationInput& input, std::vector<Application>* applications) {
  if (input.application.empty() || applications->empty()) return {};
  std::vector<std::string> known;
  for (const Application& application : *applications) known.push_back(SelectorOf(application.id, application.attempt));
  std::erase_if(*applications, [&](const Application& application) {
    return !IsAsked(input.application, application.id, application.attempt);
  });
  if (!applications->empty()) return {};
  return Fail(fmt::format("{}: application {} not found; the inputs contain: {}", fmt::join(input.paths, ", "),
                          input.application, fmt::join(known, ", ")));
}

}  // namespace

void ApplicationInput::AddTo(CLI::App& command) {
  command
      .add_option(
          "INPUT", paths,
          "Event logs, recordings, logs of drivers and executors, profiler records; folders and archives of them")
      ->required();
  AddApplicationTo(command, &application);
  options.AddTo(command);
  AcceptUrls(command, &paths);
}

Result<std::vector<Application>> LoadApplications(const ApplicationInput& input) {
  const Progress progress("reading", BytesOfPaths(input.paths));
  Result<ApplicationLoader> loader = FindAll(input);
  if (!loader) return tl::unexpected(loader.error());
  // OpenLineage events belong to an application as a whole.
  const bool has_lineage = !loader->inputs().Of(InputKind::kLineage).empty();
  std::vector<Application> applications;
  if (!has_lineage) applications = ReadOnlyEventLogs(*loader, input.options.EventLog());
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    const ApplicationInputs& inputs = loader->applications()[row];
    if (has_lineage || inputs.recorded || inputs.event_logs.empty()) AddOther(row, &*loader, &applications, &outcomes);
  }
  if (applications.empty()) {
    const std::string none = fmt::format("{}: not an event log, a recording, or logs of a driver or executor: {}",
                                         fmt::join(input.paths, ", "), WhyNothing(loader->inputs()));
    if (!AreReadable(input.paths)) return Fail(none);
    Complain(none);
    return applications;
  }
  PrintProblems(ProblemsOf(loader->inputs(), loader->recording_status(), outcomes));
  if (const Result<void> kept = KeepApplication(input, &applications); !kept) return tl::unexpected(kept.error());
  return applications;
}

Result<RecordedMetrics> LoadMetrics(const ApplicationInput& input) {
  const Progress progress("reading", BytesOfPaths(input.paths));
  Result<ApplicationLoader> loader = FindAll(input);
  if (!loader) return tl::unexpected(loader.error());
  RecordedMetrics metrics;
  std::vector<InputOutcome> outcomes;
  for (size_t row = 0; row < loader->applications().size(); ++row) {
    if (!loader->applications()[row].recorded) continue;
    for (Application& application : loader->Read(row, &outcomes))
      metrics.applications.push_back(std::move(application));
  }
  if (!metrics.applications.empty()) PrintProblems(ProblemsOf(loader->inputs(), loader->recording_status(), outcomes));
  if (const Result<void> kept = KeepApplication(input, &metrics.applications); !kept)
    return tl::unexpected(kept.error());
  Result<LoadedRecords> records = LoadRecords(input.paths, input.options, {.stacks = false});
  const bool has_records = records && records->records.RecordCount() > 0;
  if (has_records || metrics.applications.empty()) {
    if (!records && metrics.applications.empty() && !AreReadable(input.paths)) return tl::unexpected(records.error());
    if (!records) {
      Complain(records.error().message);
    } else {
      PrintNotes(*records);
    }
  }
  if (has_records) metrics.records = std::move(records->records);
  return metrics;
}

}  // namespace sparkprof
