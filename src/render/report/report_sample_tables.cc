// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <map>
#include <optional>

#include "analysis/plans/operator_join.h"
#include "analysis/selection/threads.h"
#include "analysis/selection/time_range.h"
#include "analysis/time/timeline.h"
#include "base/time.h"
#include "profiles/frame_origin.h"
#include "render/report/report_tables.h"

namespace sparkprof {
namespace {

constexpr uint32_t kNoThread = std::numeric_limits<uint16_t>::max();

template <typename To>
To Narrow(int64_t value) {
  return static_cast<To>(std::clamp<int64_t>(value, std::numeric_limits<To>::min(), std::numeric_limits<To>::max()));
}

// A row of executors as u16; "none" is the largest.
uint16_t ExecutorRow(int32_t row) { return row < 0 ? 0xFFFF : Narrow<uint16_t>(row); }

// Ends "frames" with the column "source", and writes the files that it refers to.
void WriteSources(const CoarseSamples& samples, const SourceFiles& sources, ColumnArea* columns, JsonWriter* json) {
  std::vector<int32_t> row_of_file(sources.files.size(), -1);
  std::vector<size_t> shown;
  std::vector<int32_t> rows;
  for (const FrameId id : samples.frames) {
    const int32_t file = sources.FileOf(id);
    rows.push_back(-1);
    if (file < 0) continue;
    int32_t& row = row_of_file[static_cast<size_t>(file)];
    if (row < 0) {
      row = static_cast<int32_t>(shown.size());
      shown.push_back(static_cast<size_t>(file));
    }
    rows.back() = row;
  }
  columns->Add("source", rows, json);
  json->EndObject().Key("sources").BeginArray();
  for (const size_t file : shown) {
    json->BeginObject().Member("path", sources.files[file].path).Member("text", sources.files[file].text).EndObject();
  }
  json->EndArray();
}

void WriteFrames(const Application& application, const CoarseSamples& samples, const SourceFiles* sources,
                 ReportStrings* strings, ColumnArea* columns, JsonWriter* json) {
  std::vector<uint32_t> names, files, lines;
  std::vector<uint8_t> kinds, origins;
  for (const FrameId id : samples.frames) {
    if (id == kOtherFrame) {
      names.push_back(strings->Intern("[other]"));
      files.push_back(0);
      lines.push_back(0);
      kinds.push_back(static_cast<uint8_t>(FrameKind::kSynthetic));
      origins.push_back(static_cast<uint8_t>(FrameOrigin::kLibrary));
      continue;
    }
    const Frame& frame = application.profile.frames.Get(id);
    const std::string_view name = application.profile.strings.Get(frame.name);
    const std::string_view file = application.profile.strings.Get(frame.file);
    names.push_back(strings->Intern(name));
    files.push_back(strings->Intern(file));
    lines.push_back(frame.line);
    kinds.push_back(static_cast<uint8_t>(frame.kind));
    origins.push_back(static_cast<uint8_t>(OriginOf(name, file, frame.kind)));
  }
  json->Key("frames").BeginObject();
  columns->Add("name", names, json);
  columns->Add("file", files, json);
  columns->Add("line", lines, json);
  columns->Add("kind", kinds, json);
  columns->Add("origin", origins, json);
  if (sources == nullptr || sources->files.empty()) {
    json->EndObject();
  } else {
    WriteSources(samples, *sources, columns, json);
  }
}

void WriteStacks(const CoarseSamples& samples, ColumnArea* columns, JsonWriter* json) {
  std::vector<uint32_t> parents, frames;
  for (const StackTable::Node& node : samples.stacks) {
    parents.push_back(node.parent);
    frames.push_back(node.frame);
  }
  json->Key("stacks").BeginObject();
  columns->Add("parent", parents, json);
  columns->Add("frame", frames, json);
  json->EndObject();
}

// Writes the threads that samples refer to; gives the row of each thread of the application. Threads beyond what u16
// can number share the last row.
std::vector<uint32_t> WriteThreads(const Application& application, const CoarseSamples& samples,
                                   const ChosenRows& shown, JsonWriter* json) {
  constexpr uint32_t kShared = kNoThread - 1;
  const std::vector<ThreadKind> kinds = KindsOfThreads(application);
  std::vector<uint32_t> rows(application.profile.threads.size(), kNoThread);
  uint32_t next = 0;
  json->Key("threads").BeginArray();
  for (const Sample& sample : samples.rows) {
    if (sample.thread == 0 || rows[sample.thread] != kNoThread) continue;
    if (next == kShared) {
      json->BeginObject()
          .Member("tid", 0)
          .Member("name", "[other threads]")
          .Member("executor", -1)
          .Member("kind", "other");
      json->EndObject();
    }
    rows[sample.thread] = std::min(next++, kShared);
    if (rows[sample.thread] == kShared) continue;
    const ProfileThread& thread = application.profile.threads[sample.thread];
    json->BeginObject()
        .Member("tid", thread.tid)
        .Member("name", thread.name)
        .Member("executor", shown.Executor(thread.executor))
        .Member("kind", ThreadKindName(kinds[sample.thread]))
        .EndObject();
  }
  json->EndArray();
  return rows;
}

// The position of each of `size` rows among `shown`, -1 = it is not there.
std::vector<int32_t> PlacesOf(const std::vector<uint32_t>& shown, size_t size) {
  std::vector<int32_t> places(size, -1);
  for (size_t i = 0; i < shown.size(); ++i) places[shown[i]] = static_cast<int32_t>(i);
  return places;
}

// The number of each of the profile's events in the page: that of the recording's format where it has one.
std::vector<uint8_t> EventIds(const Profile& profile) {
  constexpr size_t kFirstOther = 10;
  std::vector<uint8_t> ids;
  for (const ProfileEvent& event : profile.events) {
    const std::optional<Event> known = ParseEvent(event.name);
    ids.push_back(known ? static_cast<uint8_t>(*known)
                        : Narrow<uint8_t>(static_cast<int64_t>(kFirstOther + ids.size())));
  }
  return ids;
}

// The operator of each sample, counted from 1 as plans have them; 0 = none. Empty without plans.
std::vector<uint32_t> OperatorColumn(const Application& application, const CoarseSamples& samples) {
  const OperatorJoin join(application);
  if (join.Operators().empty()) return {};
  const auto node = [&](StackId id) { return samples.stacks[id]; };
  const auto frame = [&](FrameId id) { return samples.frames[id] == kOtherFrame ? 0 : samples.frames[id]; };
  std::vector<uint32_t> column;
  for (const int32_t row : join.Join(samples.rows, {node, frame, RangeOf(application).start_ns})) {
    column.push_back(static_cast<uint32_t>(row + 1));
  }
  return column;
}

void WriteEvents(const Profile& profile, const std::map<uint8_t, EventId>& shown, JsonWriter* json) {
  json->Key("events").BeginArray();
  for (const auto& [id, row] : shown) {
    const ProfileEvent& event = profile.events[row];
    json->BeginObject()
        .Member("id", static_cast<int>(id))
        .Member("name", event.name)
        .Member("unit", event.unit)
        .Member("label", event.Label())
        .EndObject();
  }
  json->EndArray();
}

}  // namespace

uint32_t ReportStrings::Intern(std::string_view text) {
  const auto [entry, is_new] = ids_.emplace(text, static_cast<uint32_t>(strings_.size()));
  if (is_new) strings_.push_back(text);
  return entry->second;
}

void ReportStrings::Write(JsonWriter* json) const { json->Member("strings", strings_); }

void WriteSampleTables(const Application& application, const CoarseSamples& samples, const ChosenRows& shown,
                       const SourceFiles* sources, ReportStrings* strings, ColumnArea* columns, JsonWriter* json) {
  WriteFrames(application, samples, sources, strings, columns, json);
  WriteStacks(samples, columns, json);
  const std::vector<uint32_t> thread_rows = WriteThreads(application, samples, shown, json);

  const std::vector<int32_t> task_rows = application.TaskRows();
  const std::vector<int32_t> task_places = PlacesOf(shown.tasks, application.tasks.Size());
  const std::vector<uint8_t> event_ids = EventIds(application.profile);
  const std::vector<uint32_t> operators = OperatorColumn(application, samples);
  std::map<uint8_t, EventId> events;
  for (const Sample& sample : samples.rows) events.emplace(event_ids[sample.event], sample.event);
  json->Key("samples").BeginObject();
  const auto add = [&](std::string_view key, const auto& value_of) { columns->Add(key, samples.rows, value_of, json); };
  add("bucket", [&](const Sample& sample) { return Narrow<uint32_t>(sample.time_ns / samples.bucket_ns); });
  add("event", [&](const Sample& sample) { return event_ids[sample.event]; });
  add("stack", [](const Sample& sample) { return sample.stack; });
  add("task", [&](const Sample& sample) {
    const int32_t row = task_rows[sample.task];
    return row < 0 ? -1 : task_places[static_cast<size_t>(row)];
  });
  add("executor", [&](const Sample& sample) { return ExecutorRow(shown.Executor(application.ExecutorOf(sample))); });
  add("thread", [&](const Sample& sample) { return static_cast<uint16_t>(thread_rows[sample.thread]); });
  add("category", [](const Sample& sample) { return static_cast<uint8_t>(sample.category); });
  add("state", [](const Sample& sample) { return static_cast<uint8_t>(sample.state); });
  add("weight", [](const Sample& sample) { return static_cast<double>(sample.weight); });
  add("count", [](const Sample& sample) { return Narrow<uint32_t>(sample.count); });
  if (!operators.empty()) columns->Add("operator", operators, json);
  json->EndObject().Member("bucketMs", samples.bucket_ns / kNanosPerMilli);
  WriteEvents(application.profile, events, json);
}

void WriteTasks(const Application& application, const ChosenRows& shown, ColumnArea* columns, JsonWriter* json) {
  const Tasks& tasks = application.tasks;
  const std::vector<uint32_t>& rows = shown.tasks;
  const std::vector<int32_t> stage_places = PlacesOf(shown.stages, application.stages.size());
  const TimeRange range = RangeOf(application);
  const auto since_start = [&](int64_t time_ns) {
    return static_cast<double>(time_ns > 0 ? time_ns - range.start_ns : 0) / kNanosPerMilli;
  };
  std::vector<int32_t> id;
  std::vector<uint32_t> stage, index;
  std::vector<uint16_t> attempt, executor;
  std::vector<double> begin, end;
  std::vector<uint8_t> status, speculative, locality;
  for (const uint32_t row : rows) {
    id.push_back(Narrow<int32_t>(tasks.id[row]));
    const int32_t stage_row = tasks.stage[row];
    // -1 becomes the largest: no stage
    stage.push_back(static_cast<uint32_t>(stage_row < 0 ? -1 : stage_places[static_cast<size_t>(stage_row)]));
    index.push_back(Narrow<uint32_t>(tasks.index[row]));
    attempt.push_back(Narrow<uint16_t>(tasks.attempt[row]));
    executor.push_back(ExecutorRow(shown.Executor(tasks.executor[row])));
    begin.push_back(since_start(tasks.launch_ns[row]));
    end.push_back(since_start(TaskEnd(application, row, range.end_ns)));
    status.push_back(static_cast<uint8_t>(tasks.outcome[row]));
    speculative.push_back(tasks.speculative[row]);
    locality.push_back(tasks.locality[row]);
  }
  json->Key("tasks").BeginObject();
  columns->Add("taskId", id, json);
  columns->Add("stage", stage, json);
  columns->Add("index", index, json);
  columns->Add("attempt", attempt, json);
  columns->Add("executor", executor, json);
  columns->Add("begin", begin, json);
  columns->Add("end", end, json);
  columns->Add("status", status, json);
  columns->Add("speculative", speculative, json);
  columns->Add("locality", locality, json);
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const auto& column = tasks.metrics[metric];
    std::vector<double> values;
    values.reserve(rows.size());
    for (const uint32_t row : rows) values.push_back(static_cast<double>(column[row]));
    if (std::ranges::all_of(values, [](double value) { return value == 0; })) continue;
    columns->Add(Text(static_cast<TaskMetric>(metric)).name, values, json);
  }
  json->EndObject().Key("metrics").BeginArray();
  for (size_t metric = 0; metric < kTaskMetricCount; ++metric) {
    const TaskMetricText& text = Text(static_cast<TaskMetric>(metric));
    json->BeginObject().Member("name", text.name).Member("label", text.label).Member("unit", text.unit).EndObject();
  }
  json->EndArray();
}

void WriteConcurrency(const Application& application, ColumnArea* columns, JsonWriter* json) {
  constexpr size_t kMaxSteps = 4000;  // a chart is not wider than half of that
  const std::vector<ConcurrencyStep> steps = ConcurrencyOfAll(application);
  const TimeRange range = RangeOf(application);
  const size_t group = steps.size() / kMaxSteps + 1;
  std::vector<double> time;
  std::vector<uint32_t> running;
  for (size_t first = 0; first < steps.size(); first += group) {
    int32_t most = 0;
    for (size_t i = first; i < std::min(steps.size(), first + group); ++i) most = std::max(most, steps[i].running);
    time.push_back(static_cast<double>(steps[first].time_ns - range.start_ns) / kNanosPerMilli);
    running.push_back(static_cast<uint32_t>(std::max(0, most)));
  }
  std::vector<double> time_at;
  for (const int64_t time_ns : ProfileOf(application).time_at_ns)
    time_at.push_back(static_cast<double>(time_ns) / kNanosPerMilli);
  json->Key("concurrency").BeginObject();
  columns->Add("time", time, json);
  columns->Add("running", running, json);
  columns->Add("timeAt", time_at, json);
  json->EndObject();
}

}  // namespace sparkprof
