// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/sample.h"
#include "model/stack_table.h"
#include "model/string_table.h"

namespace sparkprof {

// Samples of any origin with their tables: those of a Spark application (a member of model/application.h) and of
// foreign formats. Every reader in src/formats fills one, and every writer in src/render uses one. Threads and tasks
// start with a row for "unknown".

// The name and unit of weights.
struct ProfileEvent {
  std::string name;  // "cpu", "alloc", "cycles", "inuse_space"
  std::string unit;  // "ns", "bytes" or "count"
  // The input's name for the counts of these samples, as an event of its own: "samples"; empty without one.
  std::string counts_as = {};
  bool has_counts = true;  // false: counts of samples are an event of their own, or unknown

  // Title of an event: "CPU"; the name itself where sparkprof does not record such events.
  std::string_view Label() const;

  bool operator==(const ProfileEvent&) const = default;
};

struct ProfileThread {
  int64_t process = 0;    // pid; 0 = unknown, or the JVM of `executor`
  int64_t tid = 0;        // 0 = unknown
  std::string name;       // last seen; for display only
  int32_t executor = -1;  // row of Application::executors, -1 = unknown

  bool operator==(const ProfileThread&) const = default;
};

// The attempt of a Spark task that a sample belongs to; -1 = unknown.
struct ProfileTask {
  int64_t task = kNoTask;  // TID
  int64_t stage = -1;
  int64_t stage_attempt = -1;
  int64_t partition = -1;

  bool operator==(const ProfileTask&) const = default;
};

struct Profile {
  std::string name;  // of the input, for titles
  StringTable strings;
  FrameTable frames;
  StackTable stacks;
  std::vector<ProfileEvent> events;
  EventId default_event = 0;  // row of the default event
  std::vector<ProfileThread> threads{1};
  std::vector<ProfileTask> tasks{1};
  std::vector<Sample> samples;
  bool in_order = false;       // samples follow each other as the input has them, not added up by stack
  int64_t bucket_ns = 0;       // width of the time buckets; 0 = times are exact
  int64_t start_ns = kNoTime;  // when it was begun, as samples count time; kNoTime = at its first sample
  int64_t damaged = 0;         // skipped lines or records
  std::string first_damage;    // what the first of them was: "NAME: line 12: expected …"
  // Omissions of the input by its format or its writer: "NAME: 12 narrow frames not drawn".
  std::vector<std::string> notes;

  // Rows of `events`. AddEvent keeps them below kNoEvent.
  EventId EventCount() const { return static_cast<EventId>(events.size()); }

  // The row of the event `event_name` (without perf's modifiers if need be; also by its type in JFR, as in
  // jfr_event_names.h), of the default for an empty name. Fails with the names that there are.
  Result<EventId> FindEvent(std::string_view event_name) const;

  // Replaces an event whose counts the input calls `event_name` by that event.
  void ShowCountsAs(std::string_view event_name);

  // The row of an event that sparkprof records itself, kNoEvent when the profile has no such samples.
  EventId Row(Event event) const;
  // The row, added if need be.
  EventId AddEvent(std::string_view event_name, std::string_view unit);
  EventId AddEvent(Event event) { return AddEvent(EventName(event), EventUnit(event)); }
};

// A frame's name: "org.example.Job.run", Python's "f (job.py)", followed by ":12" if it has a line.
std::string FrameLabel(const StringTable& strings, const Frame& frame);

// Weight and count of each stack of `profile` as samples of `event` have it, by StackId. Those of the stacks alone, not
// of what they call.
struct StackWeight {
  int64_t weight = 0;
  int64_t count = 0;
};
std::vector<StackWeight> WeighStacks(const Profile& profile, EventId event);

}  // namespace sparkprof
