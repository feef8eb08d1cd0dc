// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/json_value.h"
#include "base/lines.h"
#include "base/text.h"
#include "event_log/application_events.h"
#include "event_log/event_state.h"
#include "event_log/executor_events.h"
#include "event_log/sql_events.h"
#include "event_log/stage_events.h"
#include "event_log/task_events.h"
#include "model/redaction.h"

namespace sparkprof {
namespace {

struct Handler {
  std::string_view event;  // without the package that newer events have before their name
  bool (*add)(const simdjson::dom::object& event, EventState* state);
};

// The most frequent events first.
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
    {"SparkListenerExecutorAdded", AddExecutorAdded},
    {"SparkListenerExecutorRemoved", AddExecutorRemoved},
    {"SparkListenerBlockManagerAdded", AddBlockManagerAdded},
    {"SparkListenerStageExecutorMetrics", AddStageExecutorMetrics},
    {"SparkListenerResourceProfileAdded", AddResourceProfile},
    {"SparkListenerSQLAdaptiveSQLMetricUpdates", AddSqlAdaptiveMetricUpdates},
    {"SparkListenerEnvironmentUpdate", AddEnvironmentUpdate},
    {"SparkListenerLogStart", AddLogStart},
    {"SparkListenerApplicationStart", AddApplicationStart},
    {"SparkListenerApplicationEnd", AddApplicationEnd},
};

}  // namespace

class EventReader::Impl {
 public:
  explicit Impl(Application* application) : state_(application) {}

  // `readable` bytes can be read from the event's start, because simdjson reads beyond its end. Returns false, without
  // an effect, for an event that starts another application's log.
  bool Add(std::string_view event, size_t readable) {
    if (state_.index.IsFull()) {
      ++left_out_;
      return true;
    }
    simdjson::dom::element document;
    if (!Parse(event, readable, &document)) {
      ++state_.application->damaged_events;
      return true;
    }
    simdjson::dom::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) {
      ++state_.application->damaged_events;
      return true;
    }
    std::string_view name = TextAt(object, "Event");
    name.remove_prefix(name.rfind('.') + 1);
    for (const Handler& handler : kHandlers) {
      if (handler.event != name) continue;
      if (handler.add == AddLogStart && state_.application->start_ns > 0) return false;
      if (!handler.add(object, &state_)) ++state_.application->damaged_events;
      return true;
    }
    ++state_.application->unknown_events;
    return true;
  }

  void Finish() {
    ResolveJobsAndStages(&state_);
    ResolveSqlExecutions(&state_);
    Application* const application = state_.application;
    RedactApplication(application);
    state_.own_redaction.RedactApplication(application);
    if (!application->ended) application->end_ns = std::max(application->end_ns, state_.clock.Last());
    state_.index.NoteLeftOut("spark_events", left_out_);
    if (const int64_t strayed = state_.clock.Strayed(); strayed > 0) {
      application->Warn(application->start_ns,
                        fmt::format("{} {}", strayed == 1 ? "1 event is" : fmt::format("{} events are", strayed),
                                    EventReader::kStrayedWarning));
    }
  }

 private:
  bool Parse(std::string_view event, size_t readable, simdjson::dom::element* document) {
    simdjson::error_code error = simdjson::SUCCESS;
    if (readable >= event.size() + simdjson::SIMDJSON_PADDING) {
      error = parser_.parse(event.data(), event.size(), false).get(*document);
    } else {
      error = ParseCopy(event, document);
    }
    if (error != simdjson::UTF8_ERROR) return error == simdjson::SUCCESS;
    return ParseCopy(ToUtf8(event), document) == simdjson::SUCCESS;
  }

  simdjson::error_code ParseCopy(std::string_view event, simdjson::dom::element* document) {
    padded_.assign(event);
    padded_.append(simdjson::SIMDJSON_PADDING, ' ');
    return parser_.parse(padded_.data(), event.size(), false).get(*document);
  }

  EventState state_;
  simdjson::dom::parser parser_;
  std::string padded_;
  int64_t left_out_ = 0;  // events beyond ApplicationIndex::kMaxRows
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

void EventReader::Finish() { impl_->Finish(); }

}  // namespace sparkprof
