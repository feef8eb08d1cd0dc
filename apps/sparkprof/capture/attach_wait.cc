// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <ctime>

#include "base/time.h"
#include "capture/attach.h"

namespace sparkprof {
namespace {

constexpr int64_t kLookEvery = kNanosPerSecond / 5;

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    // Signals that the caller ignores stay ignored (nohup).
    struct sigaction action;
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  return signals;
}

bool TookSignal(int64_t wait_ns) {
  const sigset_t signals = Signals();
  const timespec wait{static_cast<time_t>(wait_ns / kNanosPerSecond), static_cast<long>(wait_ns % kNanosPerSecond)};
  return sigtimedwait(&signals, nullptr, &wait) > 0;
}

}  // namespace

StopSignals::StopSignals() {
  const sigset_t signals = Signals();
  sigprocmask(SIG_BLOCK, &signals, nullptr);
}

StopSignals::~StopSignals() {
  while (TookSignal(0)) {
  }
  const sigset_t signals = Signals();
  sigprocmask(SIG_UNBLOCK, &signals, nullptr);
}

StopSignals::End StopSignals::WaitFor(int64_t duration_ns, const std::string& what,
                                      const std::function<bool()>& is_alive) {
  const bool shows = isatty(STDERR_FILENO) != 0;
  const int64_t start = MonotonicNanos();
  End end = End::kTime;
  for (;;) {
    const int64_t passed = MonotonicNanos() - start;
    if (passed >= duration_ns) break;
    if (shows) {
      fmt::print(stderr, "\r\033[Ksparkprof: {}: {} of {} s; Ctrl-C to stop", what, passed / kNanosPerSecond,
                 (duration_ns + kNanosPerSecond - 1) / kNanosPerSecond);
      std::fflush(stderr);
    }
    if (TookSignal(std::min(kLookEvery, duration_ns - passed))) {
      end = End::kSignal;
      break;
    }
    if (!is_alive()) {
      end = End::kGone;
      break;
    }
  }
  if (shows) fmt::print(stderr, "\r\033[K");
  return end;
}

}  // namespace sparkprof
