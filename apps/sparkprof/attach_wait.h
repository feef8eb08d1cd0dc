// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sparkprof {

// While it exists, Ctrl-C, SIGTERM and SIGHUP end the wait in WaitFor instead of this process. Create it before other
// threads, and use it from one thread.
class StopSignals {
 public:
  StopSignals();
  // Drops late signals, because the program is ending anyway.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  enum class End { kTime, kSignal, kGone };
  // Waits until the time has passed, a signal arrives or `is_alive` returns false (called several times a second).
  // Shows "WHAT: 3 of 30 s; Ctrl-C to stop" on a terminal.
  End WaitFor(int64_t duration_ns, const std::string& what, const std::function<bool()>& is_alive);
};

}  // namespace sparkprof
