// SPDX-License-Identifier: Apache-2.0
#include "model/samples/coverage.h"

#include <array>
#include <string>
#include <unordered_set>

#include "base/saturate.h"

namespace sparkprof {
namespace {

using CoverageByEvent = std::array<Coverage, std::size(kAllEvents)>;

Coverage& Of(Event event, CoverageByEvent* rows) { return (*rows)[static_cast<size_t>(event) - 1]; }

// Losses of samples are named after the event: "cpu_samples" for kCpu.
bool IsLossOf(const Loss& loss, Event event) { return loss.what == std::string(EventName(event)) + "_samples"; }

void Add(const Sample& sample, bool on_task_thread, Coverage* coverage) {
  AddSaturated(sample.count, &coverage->count);
  AddSaturated(sample.weight, &coverage->weight);
  if (on_task_thread) AddSaturated(sample.count, &coverage->on_task_threads);
  if (on_task_thread && sample.task != 0) AddSaturated(sample.count, &coverage->joined);
}

// Divides `lost`; the shares add up exactly.
void ShareOut(int64_t lost, CoverageByEvent* rows) {
  __extension__ using Wide = __int128;
  int64_t all = 0;
  for (const Coverage& row : *rows) AddSaturated(row.count, &all);
  if (all <= 0) return;
  Wide counted = 0;
  Wide shared_out = 0;
  for (Coverage& row : *rows) {
    counted += row.count;
    const Wide share = lost * counted / all - shared_out;
    AddSaturated(static_cast<int64_t>(share), &row.lost);
    shared_out += share;
  }
}

}  // namespace

void FillCoverage(Application* application) {
  CoverageByEvent rows;
  for (const Event event : kAllEvents) Of(event, &rows).event = event;
  const Profile& profile = application->profile;
  std::vector<Coverage*> row_of_event;
  for (const ProfileEvent& event : profile.events) {
    const std::optional<Event> known = ParseEvent(event.name);
    row_of_event.push_back(known ? &Of(*known, &rows) : nullptr);  // events of other tools have no row
  }
  for (const Sample& sample : profile.samples) {
    if (row_of_event[sample.event] == nullptr) continue;
    const bool on_task_thread = sample.category == Category::kTask || sample.category == Category::kTaskRuntime;
    Add(sample, on_task_thread, row_of_event[sample.event]);
  }
  const EventId wall = profile.Row(Event::kWall);
  std::unordered_set<uint32_t> has_wall;  // tasks
  if (!application->python_samples.empty()) {
    for (const Sample& sample : profile.samples) {
      if (sample.event == wall && sample.task != 0) has_wall.insert(sample.task);
    }
  }
  // The same samples as in flame graphs: Python's CPU time is added to the JVM's, but the wall-clock time of a task is
  // that of the JVM thread that waits for Python.
  for (const Sample& sample : application->python_samples) {
    if (row_of_event[sample.event] == nullptr || (sample.event == wall && has_wall.contains(sample.task))) continue;
    Add(sample, sample.task != 0, row_of_event[sample.event]);
  }
  int64_t lost_of_any_event = 0;
  for (const Loss& loss : application->losses) {
    if (loss.what == "samples") AddSaturated(loss.count, &lost_of_any_event);
    for (const Event event : kAllEvents) {
      if (IsLossOf(loss, event)) AddSaturated(loss.count, &Of(event, &rows).lost);
    }
  }
  ShareOut(lost_of_any_event, &rows);
  for (const Coverage& row : rows) {
    if (row.count > 0 || row.lost > 0) application->coverage.push_back(row);
  }
}

}  // namespace sparkprof
