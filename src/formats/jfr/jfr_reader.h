// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/jfr/jfr_known_stacks.h"
#include "model/samples/jfr_event_names.h"
#include "model/samples/sample.h"
#include "model/samples/stack_table.h"
#include "model/samples/string_table.h"

namespace sparkprof {

// A stack sample of a JFR chunk. Ticks have been converted with the chunk's own header. Where it comes from:
//   kCpu         jdk.ExecutionSample, jdk.CPUTimeSample (weight: its sampling period)
//   kWall        profiler.WallClockSample; the jdk.ExecutionSample of async-profiler's wall-clock engine;
//                jdk.NativeMethodSample: the JDK samples threads in native code whether they run or wait there
//   kAlloc       jdk.ObjectAllocationInNewTLAB (weight: the TLAB), …OutsideTLAB; jdk.ObjectAllocationSample in chunks
//                without those, since it samples the same allocations
//   kLive        profiler.LiveObject
//   kLock        jdk.JavaMonitorEnter, jdk.ThreadPark;  kNativeLock  profiler.NativeLock
//                Each jdk.ThreadPark is also the event "park" of OnOther.
//   kMalloc      profiler.Malloc;  kFree  profiler.Free;  kMethod  jdk.MethodTrace
// Java frames are named "package.Class.method", native ones by their symbol with the library as file. A stack that was
// cut has the root frame "[truncated]".
struct JfrSample {
  Event event = Event::kCpu;
  ThreadState state = ThreadState::kUnknown;
  int64_t ticks = 0;     // raw; with async-profiler's clock=monotonic this is CLOCK_MONOTONIC in ns
  int64_t epoch_ns = 0;  // start of the sample, lock wait or wall-clock batch; of a live object, when it was allocated
  int64_t duration_ns = 0;  // lock wait, traced method or wall-clock batch; 0 = a moment
  int64_t tid = 0;          // the operating system's thread id, 0 = unknown
  StringId thread_name = 0;
  StackId stack = 0;
  StringId type = 0;     // allocated class, monitor's class or traced method; 0 = none
  int64_t weight = 0;    // ns or bytes; 0 where the event does not carry it (cpu, wall: count * interval)
  int64_t size = 0;      // bytes of the allocated object; 0 = unknown
  int64_t count = 1;     // number of samples in this record
  uint64_t address = 0;  // the lock, or native memory that a Malloc returned or a Free releases; 0 = none
};

// Other records that sparkprof uses. Everything else in a chunk is skipped and counted.
struct JfrSpan {
  int64_t ticks = 0, epoch_ns = 0, duration_ns = 0, tid = 0;
  std::string_view tag;
};
struct JfrSetting {
  std::string_view event;  // the type it is a setting of, "jdk.ExecutionSample"; empty if it is of none
  std::string_view name, value;
};
struct JfrHeapSummary {
  int64_t epoch_ns = 0, gc_id = 0, used_bytes = 0, committed_bytes = 0;
  bool after_gc = false;
};

// Receives the contents of a chunk, in file order (not by time). Views are valid during the call only.
class JfrHandler {
 public:
  virtual ~JfrHandler() = default;
  virtual void OnSample(const JfrSample&) = 0;
  // Its `event` has no meaning. The weight is the duration of what lasts, and `type` the class of the exception, the
  // monitor or the object that the thread parked for.
  virtual void OnOther(const JfrEventName&, const JfrSample&) {}
  virtual void OnSpan(const JfrSpan&) {}
  virtual void OnSetting(const JfrSetting&) {}
  virtual void OnHeapSummary(const JfrHeapSummary&) {}
};

struct JfrChunkStatus {
  int64_t start_epoch_ns = 0;
  int64_t duration_ns = 0;
  int64_t start_ticks = 0;
  int64_t ticks_per_second = 0;
  uint64_t events = 0;          // all records
  uint64_t unknown_events = 0;  // events of unused kinds
  uint64_t damaged_events = 0;  // skipped: invalid length or ID
  uint64_t missing_stacks = 0;  // samples with an empty stack: theirs is missing or damaged
  uint64_t unread_bytes = 0;    // after a record with an invalid length
};

// Reads the chunks of one recording, or of several that share tables. Interns strings, frames and stacks into the given
// tables; stacks only if a sample refers to them. Types are found by name in the metadata of each chunk, so the field
// orders of async-profiler and the JDK both work. Memory: the constant pools of one chunk, and JfrKnownStacks. Format:
// JDK source, jdk.jfr.internal (chunk header, metadata, constant pools); written by async-profiler's
// flightRecorder.cpp.
class JfrReader {
 public:
  // All must outlive the reader.
  JfrReader(StringTable* strings, FrameTable* frames, StackTable* stacks, JfrHandler* handler);
  ~JfrReader();

  // Reads one complete chunk (its header has its size). `name` and `offset` are for errors.
  Result<JfrChunkStatus> ReadChunk(std::string_view chunk, const std::string& name, uint64_t offset);

 private:
  struct Described;

  Result<void> Describe(std::string_view chunk, size_t position);

  StringTable* strings_;
  FrameTable* frames_;
  StackTable* stacks_;
  JfrHandler* handler_;
  JfrKnownStacks known_stacks_;
  std::unique_ptr<Described> described_;  // last chunk; reused for the next one with the same description
  bool engine_is_wall_ = false;           // see JfrEvents
};

}  // namespace sparkprof
