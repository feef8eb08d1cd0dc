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

// The clock of a thread's CPU time.
clockid_t ClockOfThread(int32_t tid);

// Whether the thread is on a CPU or waits for one: kRingRunnable or kRingAsleep, 0 if unknown.
uint16_t ReadRunState(int32_t tid);

// The state of a sleeping thread: the addresses of its next instruction and of its stack's top.
struct SleepPlace {
  uint64_t pc = 0;
  uint64_t stack_pointer = 0;
};
// False if the thread runs, or the kernel does not say where it sleeps.
bool ReadSleepPlace(int32_t tid, SleepPlace* place);

}  // namespace sparkprof
