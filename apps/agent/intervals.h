// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/time.h"

namespace sparkprof {

// Intervals of the agent's work. A segment is written after each dump of the sampler (setting
// spark.sparkprof.dumpInterval), or earlier after one of the first two delays.

// Maximum delay of tasks, events and notices: plugin and agent may be killed at any time.
inline constexpr int64_t kUrgentDelayNs = 100 * kNanosPerMilli;
// Maximum delay of series points, longer because each block has a cost.
inline constexpr int64_t kSeriesDelayNs = 5 * kNanosPerSecond;

// Pause between two reads of the Python workers' rings. A ring holds half a minute of samples of one thread.
inline constexpr int64_t kDrainIntervalNs = kNanosPerSecond;
// Python's samples of one second are merged for this time. They survive if a worker or the JVM is killed.
inline constexpr int64_t kPythonDelayNs = 5 * kNanosPerSecond;

// Maximum age of samples in a dump: a batch of 1,000 wall-clock samples, a long wait for a lock.
inline constexpr int64_t kJoinMemoryNs = 120 * kNanosPerSecond;

// The main loop iterates every second; a longer pause is a gap in the recording.
inline constexpr int64_t kGapNs = 5 * kNanosPerSecond;

// Pause between two reads that emptied standard input: hundreds of short tasks per second must not wake the agent as
// often.
inline constexpr int64_t kReadPauseNs = 100 * kNanosPerMilli;

// Time from the end of standard input to the agent's exit; the protocol allows 3 s.
inline constexpr int64_t kEndDeadlineNs = 2'800 * kNanosPerMilli;
// The part of kEndDeadlineNs in which the plugin receives the last blocks.
inline constexpr int64_t kLastWriteNs = kNanosPerSecond;

// The bucket of a time; rounds down, also before the epoch.
inline int64_t BucketAt(int64_t time_ns, int64_t bucket_ns) {
  return time_ns / bucket_ns - (time_ns % bucket_ns < 0 ? 1 : 0);
}

}  // namespace sparkprof
