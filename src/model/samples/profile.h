// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/samples/sample.h"
#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// Samples with their tables, from a Spark application (a member of model/application.h) or another format. Every reader
// in src/formats fills one, and every writer in src/render uses one. Row 0 of threads and tasks means "unknown".

struct ProfileEvent {
  std::string name;  // "cpu", "alloc", "cycles", "inuse_space"
  std::string unit;  // "ns", "bytes" or "count"
  // The input's name for these samples' counts as a separate event: "samples"; empty if there is none.
  std::string counts_as = {};
  bool has_counts = true;  // false = sample counts are a separate event, or unknown

  // Title of an event: "CPU"; its name if sparkprof does not record it.
  std::string_view Label() const;

  bool operator==(const ProfileEvent&) const = default;
};

struct ProfileThread {
  int64_t process = 0;    // pid; 0 = unknown, or the JVM of `executor`
  int64_t tid = 0;        // 0 = unknown
  std::string name;       // last one seen; for display only
  int32_t executor = -1;  // row of Application::executors, -1 = unknown

  bool operator==(const ProfileThread&) const = default;
};

// The attempt of a Spark task with samples; -1 = unknown.
struct ProfileTask {
  int64_t task = kNoTask;  // TID
  int64_t stage = -1;
  int64_t stage_attempt = -1;
  int64_t partition = -1;

  bool operator==(const ProfileTask&) const = default;
};

struct Profile {
  std::string name;  // name of the input, for titles
  StringTable strings;
  FrameTable frames;
  StackTable stacks;
  std::vector<ProfileEvent> events;
  EventId default_event = 0;  // row of the default event
  std::vector<ProfileThread> threads{1};
  std::vector<ProfileTask> tasks{1};
  std::vector<Sample> samples;
  bool in_order = false;       // samples are in the input's order, not merged by stack
  int64_t bucket_ns = 0;       // width of the time buckets; 0 = exact times
  int64_t start_ns = kNoTime;  // start of the profile on the samples' time axis; kNoTime = time of the first sample
  int64_t damaged = 0;         // skipped lines or records
  std::string first_damage;    // first of them: "NAME: line 12: expected …"
  // Data that the input's format or writer omitted: "NAME: 12 narrow frames not drawn".
  std::vector<std::string> notes;

  // Number of rows of `events`, always below kNoEvent.
  EventId EventCount() const { return static_cast<EventId>(events.size()); }

  // The row of the event `event_name`, the default for an empty name. Accepts names without perf's modifiers, and JFR
  // types (jfr_event_names.h). The error lists the existing names.
  Result<EventId> FindEvent(std::string_view event_name) const;

  // Replaces the event whose counts the input calls `event_name` by that count event.
  void ShowCountsAs(std::string_view event_name);

  // The row of an event that sparkprof itself records; kNoEvent if the profile has no such samples.
  EventId Row(Event event) const;
  // The row, added if necessary.
  EventId AddEvent(std::string_view event_name, std::string_view unit);
  EventId AddEvent(Event event) { return AddEvent(EventName(event), EventUnit(event)); }
};

// A frame's label: "org.example.Job.run", for Python "f (job.py)", followed by ":12" if it has a line.
std::string FrameLabel(const StringTable& strings, const Frame& frame);

// Self weight and count per stack of `profile`, from the samples of `event`, by StackId.
struct StackWeight {
  int64_t weight = 0;
  int64_t count = 0;
};
std::vector<StackWeight> WeighStacks(const Profile& profile, EventId event);

// From the profile's start, or else its first sample, to the end of the last sample's bucket. kNoTime: no sample has a
// time.
struct ProfileTimes {
  int64_t start_ns = kNoTime;
  int64_t end_ns = kNoTime;
};
ProfileTimes TimesOfSamples(const Profile& profile);

// The row of the default event, for formats without one: the first in the order of kAllEvents, else the first row.
EventId DefaultEventOf(const Profile& profile);

}  // namespace sparkprof
