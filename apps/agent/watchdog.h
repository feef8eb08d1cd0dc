// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Ends the agent when it should have ended by itself, whatever it is stuck in. It lives in a session of its own, where
// nothing else would. Looks once a second, from a signal handler (SIGALRM), and calls _exit when
//   - the deadline has passed,
//   - the JVM's process is gone for 3 s,
//   - the main loop has not come round for 60 s.
void StartWatchdog();

// Whose end to watch for.
void WatchProcess(int64_t pid);

// The agent may live this much longer.
void SetDeadline(int64_t nanos_from_now);

// The main loop came round.
void FeedWatchdog();

}  // namespace sparkprof
