// SPDX-License-Identifier: Apache-2.0
#include "spark/evidence/evidence.h"

#include <algorithm>
#include <utility>

#include "base/line_reader.h"
#include "spark/application_builder.h"
#include "spark/event_reader.h"
#include "spark/evidence/input_lines.h"
#include "spark/evidence/profiler_evidence.h"
#include "spark/evidence/text_log_evidence.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxRecordingBytes = size_t{1} << 36;

// Of several event logs of one attempt (a copy, one that was still in progress when it was copied) the largest counts.
const Input* MainEventLog(const std::vector<const Input*>& logs) {
  const auto larger = [](const Input* a, const Input* b) {
    return std::pair(!a->in_progress, a->size) < std::pair(!b->in_progress, b->size);
  };
  return logs.empty() ? nullptr : *std::max_element(logs.begin(), logs.end(), larger);
}

void AddEventLogs(const ApplicationInputs& inputs, Application* application, std::vector<InputOutcome>* outcomes) {
  const Input* const main = MainEventLog(inputs.event_logs);
  for (const Input* log : inputs.event_logs) {
    if (log != main) outcomes->push_back({log, 0, "another copy of this application's event log was read", false});
  }
  if (main == nullptr) return;
  EventReader reader(application);
  InputOutcome outcome = ReadLines(*main, [&](std::string_view lines) { reader.AddLines(lines); });
  reader.Finish();
  if (application->damaged_events > 0) {
    application->losses.push_back({"spark_events", "not the JSON they should be", application->damaged_events});
  }
  application->complete = application->ended && outcome.problem.empty();
  outcomes->push_back(std::move(outcome));
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

}  // namespace

Result<Evidence> Evidence::Find(const std::vector<std::string>& paths, const EvidenceOptions& options) {
  Result<Inputs> inputs = FindInputs(paths, options.limits);
  if (!inputs) return tl::unexpected(inputs.error());
  Evidence evidence;
  evidence.options_ = options;
  evidence.inputs_ = std::make_unique<Inputs>(std::move(*inputs));
  SourceGrouping sources;
  for (const Input* recording : evidence.inputs_->Of(InputKind::kRecording)) {
    const Result<void> added = AddRecording(*recording, &sources, &evidence.recording_status_);
    if (!added) evidence.inputs_->unrecognised.push_back({recording->path, added.error().message});
  }
  evidence.applications_ = GroupInputs(*evidence.inputs_, sources.Take());
  return evidence;
}

Application Evidence::Read(size_t row, std::vector<InputOutcome>* outcomes) {
  ApplicationInputs& inputs = applications_[row];
  Application application;
  if (inputs.identified) application.id = inputs.id;
  application.attempt = inputs.attempt;
  AddEventLogs(inputs, &application, outcomes);
  if (inputs.recorded) application = BuildApplication(std::move(*inputs.recorded), std::move(application));
  const ProfilerRecords records = ReadRecords(inputs.records, outcomes);
  AddTextLogs(inputs.text_logs, records, options_, &application, outcomes);
  AddRecords(records, &application);
  if (application.id.empty()) application.id = inputs.id;
  if (application.name.empty()) application.name = inputs.id;
  return application;
}

}  // namespace sparkprof
