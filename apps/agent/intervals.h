// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/time.h"

namespace sparkprof {

// How often the agent does what. A segment is written after each dump of the sampler (the setting
// spark.sparkprof.dumpInterval), and sooner when one of the first two delays is over.

// Tasks, events and notices wait no longer than this: plugin and agent may be killed at any moment.
inline constexpr int64_t kUrgentDelayNs = 100 * kNanosPerMilli;
// Points of series wait longer, as each block has a price.
inline constexpr int64_t kSeriesDelayNs = 5 * kNanosPerSecond;

// Between two readings of the Python workers' rings. A ring holds half a minute of samples of one thread.
inline constexpr int64_t kDrainIntervalNs = kNanosPerSecond;
// Python's samples of one second are added up for this time. When a worker or the JVM is killed, the agent has them.
inline constexpr int64_t kPythonDelayNs = 5 * kNanosPerSecond;

// A sample may be this old when a dump brings it: a batch of 1,000 wall-clock samples, a long wait for a lock.
inline constexpr int64_t kJoinMemoryNs = 120 * kNanosPerSecond;

// The main loop comes round each second; a longer pause than this is a gap in the recording.
inline constexpr int64_t kGapNs = 5 * kNanosPerSecond;

// Between two reads of standard input that emptied it: hundreds of short tasks a second must not wake the agent as
// often.
inline constexpr int64_t kReadPauseNs = 100 * kNanosPerMilli;

// From the end of standard input to the agent's end; the protocol allows 3 s.
inline constexpr int64_t kEndDeadlineNs = 2'800 * kNanosPerMilli;
// The part of it in which the plugin takes the last blocks.
inline constexpr int64_t kLastWriteNs = kNanosPerSecond;

}  // namespace sparkprof
