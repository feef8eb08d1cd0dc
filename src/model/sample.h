// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/stack_table.h"

namespace sparkprof {

// What a sample counts. Numbers are part of the recording format.
enum class Event : uint8_t {
  kCpu = 1,
  kWall = 2,
  kAlloc = 3,
  kLive = 4,        // objects still reachable at the end, by their allocation
  kLock = 5,        // waiting for a Java monitor or parked in java.util.concurrent
  kNativeLock = 6,  // waiting for a pthread mutex or rwlock
  kMalloc = 7,
  kFree = 8,
  kMethod = 9,  // traced methods
};

inline constexpr Event kAllEvents[] = {Event::kCpu,        Event::kWall,   Event::kAlloc, Event::kLive,  Event::kLock,
                                       Event::kNativeLock, Event::kMalloc, Event::kFree,  Event::kMethod};

std::string_view EventName(Event event);   // "cpu", as on the command line
std::string_view EventUnit(Event event);   // "ns" or "bytes"
std::string_view EventLabel(Event event);  // "CPU", as people read it
std::optional<Event> ParseEvent(std::string_view name);

// Why a sample does or does not belong to a task.
enum class Category : uint8_t {
  kNone = 0,         // a thread that runs no task: driver, GC, JIT, shuffle server, …
  kTask = 1,         // inside a task's interval on its thread
  kTaskRuntime = 2,  // Spark's own work around a task: deserialisation, result, bookkeeping
  kIdlePool = 3,     // a task thread that waits for work
};

enum class ThreadState : uint8_t { kUnknown = 0, kRunning = 1, kSleeping = 2 };

// What the Python worker of a task did while the JVM's thread was sampled (wall samples).
enum class PythonState : uint8_t { kUnknown = 0, kRunning = 1, kWaiting = 2 };  // kUnknown: there may be no worker

inline constexpr int64_t kNoTask = -1;

// A sample, or several that agree in everything but weight.
struct Sample {
  int64_t bucket = 0;  // start of the time bucket / width of the bucket
  Event event = Event::kCpu;
  Category category = Category::kNone;
  ThreadState state = ThreadState::kUnknown;
  PythonState python = PythonState::kUnknown;
  uint32_t thread = 0;     // position in the threads of the segment or application
  int64_t task = kNoTask;  // TID
  StackId stack = 0;
  int64_t weight = 0;  // ns or bytes, see EventUnit
  int64_t count = 0;

  // Equal in everything but weight and count.
  bool SameKey(const Sample& other) const {
    return bucket == other.bucket && event == other.event && category == other.category && state == other.state &&
           python == other.python && thread == other.thread && task == other.task && stack == other.stack;
  }
};

// Samples added up by key. Not thread-safe.
class SampleTable {
 public:
  void Add(const Sample& sample);

  const std::vector<Sample>& Rows() const { return rows_; }
  void Clear();

 private:
  static uint64_t Hash(const Sample& sample);

  std::vector<Sample> rows_;
  HashIndex index_;
};

}  // namespace sparkprof
