// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// The ring file between the sampler in a Python worker (ring_writer.h) and the agent (ring_reader.h); see
// docs/agent-protocol.md. Includes only the C++ standard library, because the sampler is loaded into Python. Both sides
// run on one machine, so numbers have its byte order.
//
// A file is a page of header, then `data_bytes` bytes of records. Positions count all bytes written; byte `position` is
// at `position % data_bytes`. A record never crosses the end of the data: a kPad record fills the gap.

namespace sparkprof {

inline constexpr uint64_t kRingMagic = 0x31474E5246525053;  // "SPRFRNG1"
inline constexpr uint32_t kRingVersion = 1;
inline constexpr size_t kRingHeaderBytes = 4096;
inline constexpr size_t kRingDataBytes = size_t{1} << 20;  // default; a power of two
inline constexpr size_t kRingMinDataBytes = 4096;
inline constexpr size_t kRingMaxDataBytes = size_t{64} << 20;
inline constexpr const char* kRingSuffix = ".ring";  // file names are PID-STARTTICKS.ring

struct RingHeader {
  uint64_t magic;  // written last: a file without it is not ready yet
  uint32_t version;
  uint32_t header_bytes;
  uint64_t data_bytes;
  int64_t pid;
  int64_t start_ticks;  // field 22 of /proc/PID/stat
  int64_t interval_ns;  // requested time between two samples of a thread
  int64_t start_ns;     // CLOCK_MONOTONIC
  uint64_t reserved;
  // Written by the writer. Totals since the start.
  uint64_t write_position;  // stored with release order after the records before it
  uint64_t dropped;         // samples, task marks, … that did not fit
  uint64_t torn;            // dropped stacks that changed while they were read
  uint64_t unreadable;      // dropped stacks with unreadable memory
  uint64_t native_stacks;   // samples with native frames
  uint64_t native_unknown;  // those with unknown frames
  uint64_t native_guessed;  // those with guessed callers, below a frame that represents unknown ones
  uint64_t padding[1];
  // Written by the reader.
  uint64_t read_position;
  int64_t wanted_interval_ns;  // replaces interval_ns; 0 = not set, kRingPaused = no samples until it changes
};
inline constexpr int64_t kRingPaused = -1;
static_assert(sizeof(RingHeader) <= kRingHeaderBytes && offsetof(RingHeader, read_position) == 128);

enum class RingRecordType : uint16_t {
  kPad = 0,
  kCode = 1,
  kSample = 2,
  kTaskBegin = 3,
  kTaskEnd = 4,
  kUdf = 5,
  kNotice = 6,
  kNativeCode = 7,
  kAllocation = 8,
  kRelease = 9,
  kArrow = 10,
};

// Start of each record; `size` is the size of the complete record, a multiple of 8. Readers skip unknown types.
struct RingRecord {
  uint32_t size;
  RingRecordType type;
  uint16_t reserved;
};

// Defines a code ID until its next definition. Precedes the first sample that uses it, and is published together with
// it. Followed by the function's qualified name and the file name in UTF-8.
struct RingCode {
  RingRecord record;
  uint32_t code;  // < kRingMaxCodes
  uint32_t first_line;
  uint16_t function_bytes;
  uint16_t file_bytes;
  uint32_t reserved;
};
inline constexpr uint32_t kRingMaxCodes = 1 << 16;
inline constexpr size_t kRingMaxText = 4096;  // longer texts are truncated

// Defines a code ID as RingCode does, for native code: the function at `address` of the file, as numbered in the file.
// Followed by the file's path; an empty path means that the code belongs to no file, or that frames are missing here.
struct RingNativeCode {
  RingRecord record;
  uint32_t code;  // < kRingMaxCodes
  uint32_t path_bytes;
  uint64_t address;
};

enum RingSampleFlags : uint16_t {
  kRingOnCpu = 1,      // its CPU clock advanced since the last sample
  kRingHoldsGil = 2,   //
  kRingTruncated = 4,  // the outermost frames are missing
  kRingRunnable = 8,   // running or runnable
  kRingAsleep = 16,    // sleeping; with neither flag the state is unknown
};

// One thread's stack. The sum of cpu_ns over a thread's samples is the thread's CPU clock; that of wall_ns is the time
// since the first sample. Followed by `frames` RingFrames, leaf first.
struct RingSample {
  RingRecord record;
  int64_t monotonic_ns;
  int64_t task;     // TID; -1 = none or not known yet
  int64_t cpu_ns;   // since the last published sample of this thread
  int64_t wall_ns;  // since the last published sample of this thread
  int32_t tid;      // OS thread ID
  uint16_t flags;   // RingSampleFlags
  uint16_t frames;
};
inline constexpr size_t kRingMaxFrames = 512;

struct RingFrame {
  uint32_t code;
  uint32_t line;  // 0 = unknown
};

// A sampled allocation. Followed by `frames` RingFrames, leaf first; none if the thread was not running Python code.
struct RingAllocation {
  RingRecord record;
  int64_t monotonic_ns;
  int64_t task;     // TID; -1 = none or not known yet
  uint64_t number;  // index of the block in this ring, for its release; 0 = the release is not reported
  int64_t bytes;    // requested
  int64_t weight;   // bytes for which it stands
  int32_t tid;      // OS thread ID
  uint16_t flags;   // RingSampleFlags
  uint16_t frames;
};

// The block of an earlier RingAllocation was freed.
struct RingRelease {
  RingRecord record;
  int64_t monotonic_ns;
  uint64_t number;
};

// Bytes in use in Arrow's default memory pool. Written when they change.
struct RingArrow {
  RingRecord record;
  int64_t monotonic_ns;
  int64_t bytes;
};

struct RingTaskBegin {
  RingRecord record;
  int64_t monotonic_ns;
  int64_t process_cpu_ns;  // CLOCK_PROCESS_CPUTIME_ID at the start
  int64_t task;            // TID
  int64_t sql_execution;   // -1 = none
  int32_t stage;
  int32_t stage_attempt;  // -1 = unknown
  int32_t partition;
  int32_t attempt;
};

struct RingTaskEnd {
  RingRecord record;
  int64_t monotonic_ns;
  int64_t process_cpu_ns;
  int64_t task;
};

// A user function that a task runs. Followed by its qualified name and its file name in UTF-8.
struct RingUdf {
  RingRecord record;
  int64_t task;
  int32_t eval_type;  // pyspark.util.PythonEvalType: 0 = RDD function, 100 = UDF, 200 = pandas UDF, …
  uint32_t first_line;
  uint16_t function_bytes;
  uint16_t file_bytes;
  uint32_t reserved;
};

// Followed by `text_bytes` of text, UTF-8.
struct RingNotice {
  RingRecord record;
  uint16_t level;  // 0 = information, 1 = warning, 2 = error
  uint16_t text_bytes;
  uint32_t reserved;
};

}  // namespace sparkprof
