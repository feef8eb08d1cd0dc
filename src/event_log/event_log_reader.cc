// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <thread>
#include <tuple>
#include <utility>

#include "base/parallel.h"
#include "base/text/text.h"
#include "event_log/batch_queue.h"
#include "event_log/event_batch.h"
#include "event_log/event_reader.h"

namespace sparkprof {
namespace {

// Reading such a log takes seconds, so a hint explains how to read less.
constexpr int64_t kLargeLogBytes = int64_t{4} << 30;

struct ReadLog {
  std::vector<Application> applications;
  EventLogStatus status;
};

std::string_view LastName(std::string_view path) { return path.substr(path.find_last_of("/!") + 1); }

void NameApplication(const Input& input, Application* application) {
  if (application->id.empty()) {
    application->id = input.application_id.empty() ? std::string(LastName(input.path)) : input.application_id;
  }
  if (application->attempt.empty()) application->attempt = input.attempt;
}

class LogReading {
 public:
  LogReading(const Input& input, ReadLog* log) : input_(input), log_(log) { Begin(); }

  void AddBatch(const EventBatch& batch) {
    EventBatchPosition position;
    while (!reader_->AddBatch(batch, &position)) {  // start of another application's log
      End();
      Begin();
    }
  }

  void End() {
    reader_->Finish();
    Application& application = log_->applications.back();
    NameApplication(input_, &application);
    log_->status.damaged_lines += application.damaged_events;
    log_->status.unknown_events += application.unknown_events;
  }

 private:
  void Begin() {
    // The reader refers to the current application, so finished ones are moved away.
    log_->applications.emplace_back();
    reader_ = std::make_unique<EventReader>(&log_->applications.back());
  }

  const Input& input_;
  ReadLog* log_;
  std::unique_ptr<EventReader> reader_;
};

// Uses `threads` threads, and the calling thread to add what they decoded.
ReadLog ReadOne(const Input& input, const EventLogOptions& options, size_t threads) {
  ReadLog log;
  log.status.path = input.path;
  const WindowedLog windowed = WindowOf(input, options.window);
  log.status.window = windowed.note;
  Result<std::unique_ptr<ByteSource>> source = windowed.input.Open();
  if (!source) {
    log.status.problem = source.error().message;
    return log;
  }
  LogReading reading(input, &log);
  LineReader reader(std::move(*source), options.lines);
  {
    BatchQueue<EventBatch> batches([&](LineBlock* block) { reader.Next(block); }, threads);
    while (const EventBatch* const batch = batches.Next()) reading.AddBatch(*batch);
  }
  reading.End();
  log.status.bytes = reader.Bytes();
  log.status.dropped_lines = reader.DroppedLines();
  if (options.window.IsWhole() && log.status.bytes >= kLargeLogBytes) {
    log.status.window =
        fmt::format("read as a whole, {} of events; --recent 6h reads only the end", FormatBytes(log.status.bytes));
  }
  if (reader.SourceError()) log.status.problem = reader.SourceError()->message;
  for (Application& application : log.applications)
    application.complete = application.ended && log.status.problem.empty();
  ShowWindow(windowed, &log.applications.back());
  log.applications.back().damaged_events += reader.DroppedLines();
  return log;
}

// Sort key for the more complete of two applications: one that ended, then the one with more data.
auto Rank(const Application& application) {
  return std::make_tuple(application.ended, application.tasks.Size(), application.jobs.size(),
                         application.stages.size(), application.executors.size());
}

}  // namespace

EventLogs ReadEventLogs(const std::vector<const Input*>& inputs, const EventLogOptions& options) {
  std::vector<ReadLog> read(inputs.size());
  const size_t threads =
      options.threads > 0 ? static_cast<size_t>(options.threads) : std::thread::hardware_concurrency();
  // More threads would only wait for the one that adds events.
  constexpr size_t kMaxThreadsOfLog = 8;
  const size_t of_each = std::clamp<size_t>(threads / std::max<size_t>(1, inputs.size()), 1, kMaxThreadsOfLog);
  ForEachInParallel(inputs.size(), threads, [&](size_t row) { read[row] = ReadOne(*inputs[row], options, of_each); });

  EventLogs logs;
  std::map<std::pair<std::string, std::string>, std::pair<size_t, size_t>> places;  // log and application kept so far
  std::vector<std::vector<bool>> kept(read.size());
  for (size_t log = 0; log < read.size(); ++log) {
    kept[log].assign(read[log].applications.size(), true);
    for (size_t row = 0; row < read[log].applications.size(); ++row) {
      const Application& application = read[log].applications[row];
      const auto [place, is_new] = places.try_emplace({application.id, application.attempt}, log, row);
      if (is_new) continue;
      auto& [other_log, other_row] = place->second;
      const bool better = Rank(application) > Rank(read[other_log].applications[other_row]);
      const size_t loser = better ? other_log : log;
      kept[loser][better ? other_row : row] = false;
      read[loser].status.same_as = read[better ? log : other_log].status.path;
      if (better) place->second = {log, row};
    }
  }
  for (size_t log = 0; log < read.size(); ++log) {
    for (size_t row = 0; row < read[log].applications.size(); ++row) {
      if (kept[log][row]) logs.applications.push_back(std::move(read[log].applications[row]));
    }
    logs.logs.push_back(std::move(read[log].status));
  }
  std::stable_sort(logs.applications.begin(), logs.applications.end(),
                   [](const Application& a, const Application& b) { return a.start_ns < b.start_ns; });
  return logs;
}

}  // namespace sparkprof
