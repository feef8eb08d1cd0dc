// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <cstddef>
#include <cstdint>

// The threads of this process according to /proc. Nothing here allocates.
namespace sparkprof {

// A thread with less CPU time since the last sample only woke up and went to sleep again.
inline constexpr int64_t kSomeCpuNs = 50'000;

// Writes their IDs, at most `capacity`. Returns their number.
size_t ListOwnThreads(int32_t* tids, size_t capacity);

int64_t ClockNanos(clockid_t clock);  // -1 if the clock does not exist

// The CPU clock of a thread.
clockid_t ClockOfThread(int32_t tid);

// Whether the thread is running or runnable: kRingRunnable or kRingAsleep, 0 if unknown.
uint16_t ReadRunState(int32_t tid);

// Whether the thread is running or runnable: as ReadRunState, but cheaper if clocks show it. `clock_ns`: the thread's
// clock a moment ago; `cpu_ns`: the advance of its clock in the last `wall_ns`.
bool RunsNow(int32_t tid, int64_t clock_ns, int64_t cpu_ns, int64_t wall_ns);

// State of a sleeping thread: the addresses of its next instruction and of the top of its stack.
struct SleepPlace {
  uint64_t pc = 0;
  uint64_t stack_pointer = 0;
};
// Returns false if the thread is running or the kernel does not show where it sleeps.
bool ReadSleepPlace(int32_t tid, SleepPlace* place);

}  // namespace sparkprof
