// SPDX-License-Identifier: Apache-2.0
#include "history/history_batch.h"

#include "base/text/text.h"

namespace sparkprof {
namespace {

// Spark writes this member first. Other events are parsed when they are applied.
constexpr std::string_view kTaskPrefix = "{\"Event\":\"SparkListenerTask";

void Translate(const std::vector<StringId>& ids, TaskEvent* event) {
  const auto translate = [&](std::optional<StringId>* id) {
    if (*id) *id = ids[**id];
  };
  event->executor = ids[event->executor];
  event->host = ids[event->host];
  event->locality = ids[event->locality];
  event->error = ids[event->error];
  for (Accumulable& accumulable : event->accumulables) {
    translate(&accumulable.name);
    translate(&accumulable.update);
    translate(&accumulable.value);
  }
}

}  // namespace

void HistoryBatch::Decode(EventParser* parser) {
  strings_ = StringTable();
  steps_.clear();
  tasks_.clear();
  damaged_ = 0;
  std::string_view rest = block_.lines;
  while (!rest.empty()) {
    const size_t readable = rest.size() + LineReader::kPadding;
    const std::string_view line = WithoutCarriageReturn(TakeLine(&rest));
    if (!line.empty()) AddLine(line, readable, parser);
  }
}

void HistoryBatch::AddLine(std::string_view line, size_t readable, EventParser* parser) {
  if (!line.starts_with(kTaskPrefix)) {
    steps_.push_back({line, readable});
    return;
  }
  const std::optional<simdjson::dom::object> object = parser->Parse(line, readable);
  if (!object) {
    ++damaged_;
    return;
  }
  const std::string_view name = EventName(*object);
  if (!IsTaskEvent(name)) return;
  TaskEvent& event = tasks_.emplace_back();
  if (ReadTaskEvent(name, *object, &strings_, &event)) {
    steps_.push_back({});
  } else {
    tasks_.pop_back();
    ++damaged_;
  }
}

void HistoryBatch::Apply(EventParser* parser, Replay* replay) {
  History& history = *replay->history;
  std::vector<StringId> ids(strings_.Size());
  for (StringId id = 0; id < ids.size(); ++id) ids[id] = history.strings.Intern(strings_.Get(id));
  size_t next_task = 0;
  for (const Step& step : steps_) {
    if (step.line.empty()) {
      TaskEvent& event = tasks_[next_task++];
      Translate(ids, &event);
      ReplayTask(event, replay);
      continue;
    }
    const std::optional<simdjson::dom::object> object = parser->Parse(step.line, step.readable);
    if (!object || !ReplayEvent(*object, replay)) ++history.damaged_events;
  }
  history.damaged_events += damaged_;
}

}  // namespace sparkprof
