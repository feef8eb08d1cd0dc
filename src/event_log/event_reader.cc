// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text/text.h"
#include "event_log/clean_texts.h"
#include "event_log/event_batch.h"
#include "event_log/event_parser.h"
#include "event_log/events/event_handlers.h"
#include "event_log/events/event_state.h"
#include "event_log/tags/job_tags.h"
#include "model/redaction/event_redaction.h"
#include "model/redaction/redaction.h"

namespace sparkprof {
namespace {

struct Handler {
  std::string_view event;  // without the package prefix of newer events
  bool (*add)(const simdjson::dom::object& event, EventState* state);
};

// An event for `sparkprof prove` (prove/result_fingerprint.h).
bool SkipQueryResult(const simdjson::dom::object& /*event*/, EventState* /*state*/) { return true; }

// Most frequent events first.
constexpr Handler kHandlers[] = {
    {"SparkListenerTaskEnd", AddTaskEnd},
    {"SparkListenerTaskStart", AddTaskStart},
    {"SparkListenerTaskGettingResult", AddTaskStart},
    {"SparkListenerStageSubmitted", AddStageSubmitted},
    {"SparkListenerStageCompleted", AddStageCompleted},
    {"SparkListenerJobStart", AddJobStart},
    {"SparkListenerJobEnd", AddJobEnd},
    {"SparkListenerSQLExecutionStart", AddSqlExecutionStart},
    {"SparkListenerSQLExecutionEnd", AddSqlExecutionEnd},
    {"SparkListenerSQLAdaptiveExecutionUpdate", AddSqlAdaptiveUpdate},
    {"SparkListenerDriverAccumUpdates", AddDriverAccumulatorUpdates},
    {"StreamingQueryListener$QueryProgressEvent", AddStreamingProgress},
    {"StreamingQueryListener$QueryStartedEvent", AddStreamingStart},
    {"StreamingQueryListener$QueryTerminatedEvent", AddStreamingEnd},
    {"SparkListenerBlockUpdated", AddBlockUpdated},
    {"SparkListenerUnpersistRDD", AddUnpersist},
    {"SparkprofStorage", AddStorage},
    {"SparkprofQueryResult", SkipQueryResult},
    {"SparkListenerExecutorAdded", AddExecutorAdded},
    {"SparkListenerExecutorRemoved", AddExecutorRemoved},
    {"SparkListenerBlockManagerAdded", AddBlockManagerAdded},
    {"SparkListenerStageExecutorMetrics", AddStageExecutorMetrics},
    {"SparkListenerResourceProfileAdded", AddResourceProfile},
    {"SparkListenerSQLAdaptiveSQLMetricUpdates", AddSqlAdaptiveMetricUpdates},
    {"GlutenPlanFallbackEvent", AddEngineReasons},
    {"SparkListenerEnvironmentUpdate", AddEnvironmentUpdate},
    {kDroppedValuesEvent, AddDroppedValues},
    {"SparkListenerLogStart", AddLogStart},
    {"SparkListenerApplicationStart", AddApplicationStart},
    {"SparkListenerApplicationEnd", AddApplicationEnd},
};

}  // namespace

class EventReader::Impl {
 public:
  explicit Impl(Application* application) : state_(application) {}

  // `readable`: number of readable bytes from the event's start on, because simdjson reads beyond its end. Returns
  // false, without an effect, for an event that starts another application's log.
  bool Add(std::string_view event, size_t readable) {
    if (state_.index.IsFull()) {
      ++left_out_;
      return true;
    }
    const std::optional<simdjson::dom::object> object = parser_.Parse(event, readable);
    if (!object) {
      ++state_.application->damaged_events;
      return true;
    }
    const std::string_view name = EventName(*object);
    for (const Handler& handler : kHandlers) {
      if (handler.event != name) continue;
      if (handler.add == AddLogStart && state_.application->start_ns > 0) return false;
      if (!handler.add(*object, &state_)) ++state_.application->damaged_events;
      if (handler.add == AddEnvironmentUpdate) clean_texts_.Clear();
      return true;
    }
    ++state_.application->unknown_events;
    return true;
  }

  bool AddBatch(const EventBatch& batch, EventBatchPosition* position) {
    for (; position->event < batch.Events().size(); ++position->event) {
      const EventBatch::Event& event = batch.Events()[position->event];
      if (!event.line.empty()) {
        if (!Add(event.line, event.readable)) return false;
      } else {
        const DecodedTask& task = batch.Tasks()[position->task++];
        AddDecodedTask(task, batch.Lists(), position->lists);
        position->lists.Skip(task);
      }
    }
    return true;
  }

  Application Snapshot() {
    Application unfinished = *state_.application;
    Finish();
    return std::exchange(*state_.application, std::move(unfinished));
  }

  void Finish() {
    ResolveJobsAndStages(&state_);
    ResolveSqlExecutions(&state_);
    Application* const application = state_.application;
    AddPipelineTags(application);
    AddDbtTags(application);
    // Every plan repeats metric and operator names, and the next snapshot repeats all texts.
    RedactApplication(application, [this](std::string* text) {
      clean_texts_.Redact(*text, [&] { return state_.own_redaction.RedactText(text); });
    });
    if (!application->ended) application->end_ns = std::max(application->end_ns, state_.clock.Last());
    state_.index.NoteLeftOut("spark_events", left_out_);
    state_.cached_blocks.NoteLeftOut();
    if (const int64_t strayed = state_.clock.Strayed(); strayed > 0) {
      application->Warn(application->start_ns,
                        fmt::format("{} {}", strayed == 1 ? "1 event is" : fmt::format("{} events are", strayed),
                                    EventReader::kStrayedWarning));
    }
  }

 private:
  void AddDecodedTask(const DecodedTask& task, const TaskLists& lists, TaskListsPosition position) {
    if (state_.index.IsFull()) {
      ++left_out_;
    } else if (!AddTask(task, lists, position, &state_)) {
      ++state_.application->damaged_events;
    }
  }

  EventState state_;
  EventParser parser_;
  CleanTexts clean_texts_;
  int64_t left_out_ = 0;  // number of events beyond ApplicationIndex::kMaxRows
};

EventReader::EventReader(Application* application) : impl_(std::make_unique<Impl>(application)) {}
EventReader::~EventReader() = default;

void EventReader::Add(std::string_view event) { impl_->Add(event, event.size()); }

std::string_view EventReader::AddLines(std::string_view lines) {
  while (!lines.empty()) {
    const std::string_view from_here = lines;
    const std::string_view line = WithoutCarriageReturn(TakeLine(&lines));
    if (!line.empty() && !impl_->Add(line, from_here.size())) return from_here;
  }
  return {};
}

bool EventReader::AddBatch(const EventBatch& batch, EventBatchPosition* position) {
  return impl_->AddBatch(batch, position);
}

Application EventReader::Snapshot() { return impl_->Snapshot(); }

void EventReader::Finish() { impl_->Finish(); }

}  // namespace sparkprof
