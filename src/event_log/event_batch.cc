// SPDX-License-Identifier: Apache-2.0
#include "event_log/event_batch.h"

#include <optional>

#include "base/text/text.h"

namespace sparkprof {

static_assert(LineReader::kPadding >= PlainJson::kPadding);

namespace {

// Spark writes this member first. Events with another first member are parsed when they are added.
constexpr std::string_view kTaskPrefix = "{\"Event\":\"SparkListenerTask";

}  // namespace

void EventBatch::Decode(EventParser* parser) {
  strings_ = StringTable();
  events_.clear();
  tasks_.clear();
  lists_.Clear();
  kept_peaks_ = 0;
  scanner_.Reset();
  std::string_view rest = block_.lines;
  while (!rest.empty()) {
    if (const size_t size = scanner_.Scan(rest, &lists_, &tasks_.emplace_back()); size > 0) {
      kept_peaks_ = lists_.peaks.size();
      events_.push_back({});
      rest.remove_prefix(size);
      static_cast<void>(TakeLine(&rest));  // skips the line end
      continue;
    }
    tasks_.pop_back();
    const size_t readable = rest.size() + LineReader::kPadding;
    const std::string_view line = WithoutCarriageReturn(TakeLine(&rest));
    if (!line.empty()) AddLine(line, readable, parser);
  }
}

void EventBatch::AddLine(std::string_view line, size_t readable, EventParser* parser) {
  if (line.starts_with(kTaskPrefix)) {
    const std::optional<simdjson::dom::object> object = parser->Parse(line, readable);
    DecodedTask& task = tasks_.emplace_back();
    if (!object || DecodeTask(EventName(*object), *object, &lists_, &task)) {
      KeepTexts();
      events_.push_back({});
      return;
    }
    tasks_.pop_back();
  }
  scanner_.Reset();  // another application may start here
  events_.push_back({line, readable});
}

// Most tasks have the same texts and metric names as the previous task.
void EventBatch::KeepTexts() {
  DecodedTask& task = tasks_.back();
  const DecodedTask nothing;
  const DecodedTask& before = tasks_.size() == 1 ? nothing : tasks_[tasks_.size() - 2];
  task.executor = Keep(task.executor, before.executor);
  task.host = Keep(task.host, before.host);
  for (; kept_peaks_ < lists_.peaks.size(); ++kept_peaks_) {
    const bool has_before = kept_peaks_ >= task.peaks;
    std::string_view& name = lists_.peaks[kept_peaks_].first;
    name = Keep(name, has_before ? lists_.peaks[kept_peaks_ - task.peaks].first : std::string_view());
  }
}

std::string_view EventBatch::Keep(std::string_view text, std::string_view likely) {
  return text == likely ? likely : strings_.Get(strings_.Intern(text));
}

}  // namespace sparkprof
