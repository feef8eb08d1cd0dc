// SPDX-License-Identifier: Apache-2.0
#include "loader/application_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/text/text.h"
#include "event_log/event_log_reader.h"
#include "loader/input_lines.h"
#include "loader/input_loaders.h"
#include "model/application_times.h"
#include "recording/application_builder.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxRecordingBytes = size_t{1} << 36;

// Reads the event logs of one attempt; a concatenated log may contain several applications.
std::vector<Application> ReadAllEventLogs(const std::vector<const Input*>& inputs, const EventLogOptions& options,
                                          std::vector<InputOutcome>* outcomes) {
  if (inputs.empty()) return {};
  EventLogs logs = ReadEventLogs(inputs, options);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const EventLogStatus& status = logs.logs[i];
    InputOutcome outcome{inputs[i], status.bytes, status.problem, status.same_as.empty(), status.window};
    if (!outcome.is_used) {
      outcome.problem = fmt::format("{} has more data of the same application", status.same_as);
    } else if (outcome.problem.empty()) {
      outcome.problem = SkippedLines(status.damaged_lines, status.dropped_lines);
    }
    outcomes->push_back(std::move(outcome));
    if (inputs[i]->gap.empty() || logs.applications.empty()) continue;
    logs.applications.front().Warn(0, fmt::format("{}: {}: starts and ends of jobs, stages and tasks may be unknown",
                                                  inputs[i]->path, inputs[i]->gap));
    logs.applications.front().complete = false;
  }
  for (Application& application : logs.applications) {
    if (application.start_ns == 0 && application.tasks.Size() > 0)
      application.Warn(0, "the event log begins after the application's start: earlier jobs and tasks are unknown");
    if (application.damaged_events == 0) continue;
    application.losses.push_back({"spark_events", "invalid JSON", application.damaged_events});
  }
  return std::move(logs.applications);
}

Result<void> AddRecording(const Input& input, SourceGrouping* sources, RecordingStatus* status) {
  const Result<std::unique_ptr<ByteSource>> source = input.Open();
  if (!source) return tl::unexpected(source.error());
  const Result<std::string> bytes = ReadAll(source->get(), kMaxRecordingBytes, input.path);
  if (!bytes) return tl::unexpected(bytes.error());
  sources->BeginFile();
  const Result<RecordingStatus> read =
      ReadBlocks(*bytes, input.path, [&](Segment&& segment) { sources->Add(std::move(segment)); });
  if (!read) return tl::unexpected(read.error());
  sources->EndFile(read->damaged_blocks + read->skipped_bytes + read->cut_bytes > 0);
  *status += *read;
  return {};
}

Lineage ReadLineage(const LineLimits& limits, Inputs* inputs) {
  Lineage lineage;
  for (const Input* const input : inputs->Of(InputKind::kLineage)) {
    int64_t damaged = 0;
    InputOutcome outcome = ReadLines(*input, limits, [&](std::string_view lines) {
      while (!lines.empty()) {
        const std::string_view line = Trim(TakeLine(&lines));
        if (!line.empty() && !lineage.Add(line)) ++damaged;
      }
      return true;
    });
    if (outcome.problem.empty()) outcome.problem = SkippedLines(damaged, 0);
    if (!outcome.problem.empty()) inputs->notes.push_back(fmt::format("{}: {}", input->path, outcome.problem));
  }
  return lineage;
}

// Whether the input is a single regular file, not an archive entry or a pipe.
bool IsFile(const Input& input) {
  std::error_code error;
  return input.parts.size() == 1 && std::filesystem::is_regular_file(input.parts.front().path, error);
}

void AddRecordings(const std::vector<const Input*>& inputs, SourceGrouping* sources, RecordingStatus* status,
                   std::vector<Unrecognized>* unrecognized) {
  const auto add = [&](const Input& input) {
    const Result<void> added = AddRecording(input, sources, status);
    if (!added) unrecognized->push_back({input.path, added.error().message});
  };
  std::vector<std::string> paths;
  std::vector<const Input*> files;
  for (const Input* const input : inputs) {
    if (!IsFile(*input)) {
      add(*input);
      continue;
    }
    paths.push_back(input->parts.front().path);
    files.push_back(input);
  }
  sources->ReadFiles(paths, [&](size_t row, const Result<RecordingStatus>& read) {
    if (read) {
      *status += *read;
    } else {
      add(*files[row]);  // may be compressed
    }
  });
}

}  // namespace

Result<ApplicationLoader> ApplicationLoader::Find(const std::vector<std::string>& paths, const LoaderOptions& options) {
  Result<Inputs> inputs = FindInputs(paths, options.limits);
  if (!inputs) return tl::unexpected(inputs.error());
  ApplicationLoader loader;
  loader.options_ = options;
  loader.inputs_ = std::make_unique<Inputs>(std::move(*inputs));
  SourceGrouping sources;
  AddRecordings(loader.inputs_->Of(InputKind::kRecording), &sources, &loader.recording_status_,
                &loader.inputs_->unrecognized);
  loader.applications_ = GroupInputs(*loader.inputs_, sources.Take());
  loader.lineage_ = ReadLineage(options.event_logs.lines, loader.inputs_.get());
  if (!loader.applications_.empty()) return loader;
  for (const Input* const lineage : loader.inputs_->Of(InputKind::kLineage)) {
    loader.inputs_->unrecognized.push_back(
        {lineage->path, "events of OpenLineage; name the event log or recording of their application, too"});
  }
  return loader;
}

std::vector<Application> ApplicationLoader::ReadExact(size_t row, std::vector<InputOutcome>* outcomes) {
  ApplicationInputs& inputs = applications_[row];
  std::vector<Application> all = ReadAllEventLogs(inputs.event_logs, options_.event_logs, outcomes);
  // Moves the application of the other inputs to the front.
  const auto own = std::find_if(all.begin(), all.end(), [&](const Application& one) { return one.id == inputs.id; });
  if (own != all.end()) std::rotate(all.begin(), own, own + 1);
  if (all.empty()) all.emplace_back();
  Application& application = all.front();
  if (inputs.identified && application.id.empty()) application.id = inputs.id;
  if (application.attempt.empty()) application.attempt = inputs.attempt;
  if (inputs.recorded) application = BuildApplication(std::move(*inputs.recorded), std::move(application));
  return all;
}

std::vector<Application> ApplicationLoader::Read(size_t row, std::vector<InputOutcome>* outcomes) {
  std::vector<Application> all = ReadExact(row, outcomes);
  Application& application = all.front();
  const ApplicationInputs& inputs = applications_[row];
  const ProfilerRecords records = ReadRecords(inputs.records, options_.event_logs.lines, outcomes);
  AddTextLogs(inputs.text_logs, records, options_, &application, outcomes);
  AddRecords(records, &application);
  if (application.id.empty()) application.id = inputs.id;
  if (application.name.empty()) application.name = inputs.id;
  for (Application& one : all) {
    lineage_.AddTags(applications_.size() == 1 && all.size() == 1, &one);
    BoundTimes(&one);
  }
  return all;
}

std::vector<LogZone> ApplicationLoader::ReadZones(size_t row) {
  std::vector<InputOutcome> outcomes;
  const std::vector<Application> all = ReadExact(row, &outcomes);
  const ApplicationInputs& inputs = applications_[row];
  const ProfilerRecords records = ReadRecords(inputs.records, options_.event_logs.lines, &outcomes);
  return ZonesOf(inputs.text_logs, records, options_, all.front());
}

}  // namespace sparkprof
