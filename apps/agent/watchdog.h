// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Kills an agent that should have exited, in any state: its session has no other owner. A SIGALRM handler checks once a
// second and calls _exit if
//     - the deadline has passed,
//     - the JVM's process has been gone for 3 s,
//     - the main loop has not iterated for 60 s.
void StartWatchdog();

void WatchProcess(int64_t pid);

// Extends the agent's life to this much longer.
void SetDeadline(int64_t nanos_from_now);

// Call in each iteration of the main loop.
void FeedWatchdog();

}  // namespace sparkprof
