// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace sparkprof {

// While it lives, Ctrl-C, SIGTERM and SIGHUP do not end this process but the waiting in WaitFor. Made before other
// threads are, used by one thread.
class StopSignals {
 public:
  StopSignals();
  // Signals that came too late are dropped: their wish has been done.
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  enum class End { kTime, kSignal, kGone };
  // Waits until the time has passed, a signal arrives or `is_alive` returns false (called several times a second).
  // Shows "WHAT: 3 of 30 s; Ctrl-C to stop" on a terminal.
  End WaitFor(int64_t duration_ns, const std::string& what, const std::function<bool()>& is_alive);
};

}  // namespace sparkprof
