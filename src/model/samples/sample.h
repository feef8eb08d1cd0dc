// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash_index.h"
#include "base/saturate.h"
#include "model/samples/stack_table.h"

namespace sparkprof {

// The event of a sample. Numbers are part of the recording format.
enum class Event : uint8_t {
  kCpu = 1,
  kWall = 2,
  kAlloc = 3,
  kLive = 4,        // objects still reachable at the end, by their allocation
  kLock = 5,        // waiting for a Java monitor or parked in java.util.concurrent
  kNativeLock = 6,  // waiting for a pthread mutex or rwlock
  kMalloc = 7,
  kFree = 8,
  kMethod = 9,        // traced methods
  kPythonAlloc = 10,  // memory that Python processes allocate
  kPythonLive = 11,   // part held when all processes together held the most; computed from the other two
  kPythonFree = 12,   // released part
};

inline constexpr Event kAllEvents[] = {Event::kCpu,    Event::kWall,        Event::kAlloc,      Event::kLive,
                                       Event::kLock,   Event::kNativeLock,  Event::kMalloc,     Event::kFree,
                                       Event::kMethod, Event::kPythonAlloc, Event::kPythonLive, Event::kPythonFree};

std::string_view EventName(Event event);   // "cpu", as on the command line
std::string_view EventUnit(Event event);   // "ns" or "bytes"
std::string_view EventLabel(Event event);  // "CPU", for display
std::optional<Event> ParseEvent(std::string_view name);

// Why a sample does or does not belong to a task.
enum class Category : uint8_t {
  kNone = 0,         // a thread without a task: driver, GC, JIT, shuffle server, …
  kTask = 1,         // inside a task's interval on its thread
  kTaskRuntime = 2,  // Spark's own work around a task: deserialization, result, bookkeeping
  kIdlePool = 3,     // a task thread waiting for work
};

enum class ThreadState : uint8_t { kUnknown = 0, kRunning = 1, kSleeping = 2 };

// Activity of a task's Python worker at a wall-clock sample of the JVM thread.
enum class PythonState : uint8_t { kUnknown = 0, kRunning = 1, kWaiting = 2 };  // kUnknown: there may be no worker

inline constexpr int64_t kNoTask = -1;         // no TID
inline constexpr int64_t kNoTime = INT64_MIN;  // no time

using EventId = uint16_t;                        // a row of Profile::events
inline constexpr EventId kNoEvent = UINT16_MAX;  // no row

// A sample of a profile, or several that differ only in weight.
struct Sample {
  StackId stack = 0;
  uint32_t thread = 0;  // row of Profile::threads
  uint32_t task = 0;    // row of Profile::tasks
  EventId event = 0;    // row of Profile::events
  Category category = Category::kNone;
  ThreadState state = ThreadState::kUnknown;
  PythonState python = PythonState::kUnknown;
  // Time of the sample or start of its time bucket: ns since the Unix epoch, or another origin in formats without an
  // epoch.
  int64_t time_ns = kNoTime;
  int64_t weight = 0;  // in the event's unit
  int64_t count = 1;

  bool SameKey(const Sample& other) const {
    return stack == other.stack && thread == other.thread && task == other.task && event == other.event &&
           category == other.category && state == other.state && python == other.python && time_ns == other.time_ns;
  }
  uint64_t KeyHash() const {
    const uint64_t kinds = uint64_t{event} << 24 | static_cast<uint64_t>(category) << 16 |
                           static_cast<uint64_t>(state) << 8 | static_cast<uint64_t>(python);
    uint64_t hash = MixHash(uint64_t{stack} << 32 | thread);
    hash = MixHash(hash ^ (uint64_t{task} << 32 ^ kinds));
    return MixHash(hash ^ static_cast<uint64_t>(time_ns));
  }
};

// A sample in a segment, or several that differ only in weight.
struct SegmentSample {
  int64_t bucket = 0;  // start of the time bucket divided by its width
  Event event = Event::kCpu;
  Category category = Category::kNone;
  ThreadState state = ThreadState::kUnknown;
  PythonState python = PythonState::kUnknown;
  uint32_t thread = 0;     // position in the segment's threads
  int64_t task = kNoTask;  // TID
  StackId stack = 0;
  int64_t weight = 0;  // ns or bytes, see EventUnit
  int64_t count = 0;

  bool SameKey(const SegmentSample& other) const {
    return bucket == other.bucket && event == other.event && category == other.category && state == other.state &&
           python == other.python && thread == other.thread && task == other.task && stack == other.stack;
  }
  uint64_t KeyHash() const {
    const uint64_t kinds = static_cast<uint64_t>(event) << 16 | static_cast<uint64_t>(category) << 8 |
                           static_cast<uint64_t>(python) << 4 | static_cast<uint64_t>(state);
    uint64_t hash = MixHash(static_cast<uint64_t>(bucket) ^ kinds << 40);
    hash = MixHash(hash ^ (uint64_t{thread} << 32 | stack));
    return MixHash(hash ^ static_cast<uint64_t>(task));
  }
};

// Samples (of either type) merged by key, in order of first occurrence. Weights and counts are saturating. Not
// thread-safe.
template <typename Row>
class SampleTable {
 public:
  void Add(const Row& sample) {
    const uint64_t hash = sample.KeyHash();
    const uint32_t found = index_.Find(hash, [&](uint32_t id) { return rows_[id].SameKey(sample); });
    if (found != HashIndex::kNone) {
      AddSaturated(sample.weight, &rows_[found].weight);
      AddSaturated(sample.count, &rows_[found].count);
      return;
    }
    rows_.push_back(sample);
    index_.Insert(hash, static_cast<uint32_t>(rows_.size() - 1), [&](uint32_t id) { return rows_[id].KeyHash(); });
  }

  const std::vector<Row>& Rows() const { return rows_; }
  std::vector<Row> Take() {
    index_.Clear();
    return std::exchange(rows_, {});
  }
  void Clear() {
    rows_.clear();
    index_.Clear();
  }

 private:
  std::vector<Row> rows_;
  HashIndex index_;
};

// CPU time that the JVM spends on one sample, in ns: an estimate from measurements of async-profiler 4.5 on x86-64. For
// cpu and wall, a signal interrupts a thread (13 to 43 µs); for a sleeping thread, only its clock is read (1 µs). For
// allocations and locks, JVM TI walks the stack frame by frame.
constexpr int64_t SamplingCostNs(Event event, ThreadState state, int64_t frames) {
  if (event == Event::kCpu) return 20'000;
  if (event == Event::kWall) return state == ThreadState::kSleeping ? 1'000 : 20'000;
  return 5'000 + 250 * frames;
}

}  // namespace sparkprof
