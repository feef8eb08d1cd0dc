// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash_index.h"
#include "base/result.h"
#include "model/sample.h"
#include "model/stack_table.h"
#include "model/string_table.h"

namespace sparkprof {

// A profile of any origin, with as much as all formats can say: every reader in src/formats fills one, every writer in
// src/render takes one. Tables start with a row that stands for "unknown", but for events.

// What weights count.
struct ProfileEvent {
  std::string name;  // "cpu", "alloc", "cycles", "inuse_space"
  std::string unit;  // "ns", "bytes" or "count"

  bool operator==(const ProfileEvent&) const = default;
};

struct ProfileThread {
  int64_t process = 0;  // pid, 0 = unknown
  int64_t tid = 0;      // 0 = unknown
  std::string name;

  bool operator==(const ProfileThread&) const = default;
};

// The attempt of a Spark task that a sample belongs to; -1 = unknown.
struct ProfileTask {
  int64_t task = -1;  // TID
  int64_t stage = -1;
  int64_t stage_attempt = -1;
  int64_t partition = -1;

  bool operator==(const ProfileTask&) const = default;
};

inline constexpr int64_t kNoTime = INT64_MIN;

struct ProfileSample {
  StackId stack = 0;
  uint32_t event = 0;         // row of Profile::events
  uint32_t thread = 0;        // row of Profile::threads
  uint32_t task = 0;          // row of Profile::tasks
  int64_t time_ns = kNoTime;  // of its (first) sample: since the Unix epoch, or since any other start
  int64_t weight = 0;
  int64_t count = 1;
};

struct Profile {
  std::string name;  // of the input, for titles
  StringTable strings;
  FrameTable frames;
  StackTable stacks;
  std::vector<ProfileEvent> events;
  uint32_t default_event = 0;  // row of events that is shown when none is asked for
  std::vector<ProfileThread> threads{1};
  std::vector<ProfileTask> tasks{1};
  std::vector<ProfileSample> samples;
  bool in_order = false;       // samples follow each other as the input has them, not added up by stack
  int64_t start_ns = kNoTime;  // when it was begun, as samples count time; kNoTime = at its first sample
  int64_t damaged = 0;         // lines or records that could not be read and were left out
  std::string first_damage;    // what the first of them was: "NAME: line 12: expected …"

  // The row of the event `event_name` (without perf's modifiers if need be), of the default for an empty name. Fails
  // with the names that there are.
  Result<uint32_t> FindEvent(std::string_view event_name) const;
};

// A frame's name for people and scripts: "org.example.Job.run", Python's "f (job.py)", with its line, if it has one,
// ":12" behind.
std::string FrameLabel(const StringTable& strings, const Frame& frame);

// Weight and count of each stack of `profile` as samples of `event` have it, by StackId. Those of the stacks alone, not
// of what they call.
struct StackWeight {
  int64_t weight = 0;
  int64_t count = 0;
};
std::vector<StackWeight> WeighStacks(const Profile& profile, uint32_t event);

}  // namespace sparkprof
