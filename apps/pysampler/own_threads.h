// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>

// The threads of this process, as /proc has them. Nothing here allocates.
namespace sparkprof {

// A thread that ran for less than this since the last sample woke up and went to sleep again.
inline constexpr int64_t kSomeCpuNs = 50'000;

// Their IDs; returns how many, at most `capacity`.
size_t ListOwnThreads(int32_t* tids, size_t capacity);

int64_t ClockNanos(clockid_t clock);  // -1 if the clock does not exist

// The clock of a thread's CPU time.
clockid_t ClockOfThread(int32_t tid);

// Whether the thread is on a CPU or waits for one: kRingRunnable or kRingAsleep, 0 if unknown.
uint16_t ReadRunState(int32_t tid);

// Whether it is on a CPU or waits for one: ReadRunState, with less work where clocks show it. `clock_ns`: the thread's
// clock a moment ago; `cpu_ns`: how far it advanced in the last `wall_ns`.
bool RunsNow(int32_t tid, int64_t clock_ns, int64_t cpu_ns, int64_t wall_ns);

// The state of a sleeping thread: the addresses of its next instruction and of its stack's top.
struct SleepPlace {
  uint64_t pc = 0;
  uint64_t stack_pointer = 0;
};
// False if the thread runs, or the kernel does not say where it sleeps.
bool ReadSleepPlace(int32_t tid, SleepPlace* place);

}  // namespace sparkprof
