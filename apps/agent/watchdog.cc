// SPDX-License-Identifier: Apache-2.0
#include "watchdog.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int kMaxSecondsWithoutJvm = 3;
constexpr int kMaxSecondsInOneRound = 60;

std::atomic<int64_t> watched_pid{0};
std::atomic<int64_t> deadline_ns{0};  // CLOCK_MONOTONIC; 0 = none
std::atomic<int> seconds_in_round{0};
std::atomic<int> seconds_without_jvm{0};

static_assert(std::atomic<int64_t>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

// Calls only async-signal-safe functions.
void OnAlarm(int) {
  const int saved_errno = errno;
  const int64_t deadline = deadline_ns.load();
  if (deadline != 0 && MonotonicNanos() >= deadline) _exit(1);
  const int64_t pid = watched_pid.load();
  const bool gone = pid > 0 && kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
  if (!gone) seconds_without_jvm = 0;
  if (gone && ++seconds_without_jvm >= kMaxSecondsWithoutJvm) _exit(1);
  if (++seconds_in_round >= kMaxSecondsInOneRound) _exit(1);
  errno = saved_errno;
}

void SetTimer(int64_t first_ns) {
  itimerval timer{};
  timer.it_value.tv_sec = first_ns / kNanosPerSecond;
  timer.it_value.tv_usec = first_ns % kNanosPerSecond / 1000;
  timer.it_interval.tv_sec = 1;
  setitimer(ITIMER_REAL, &timer, nullptr);
}

}  // namespace

void StartWatchdog() {
  struct sigaction action {};
  action.sa_handler = OnAlarm;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  SetTimer(kNanosPerSecond);
}

void WatchProcess(int64_t pid) { watched_pid = pid; }

void SetDeadline(int64_t nanos_from_now) {
  deadline_ns = MonotonicNanos() + nanos_from_now;
  SetTimer(nanos_from_now);
}

void FeedWatchdog() { seconds_in_round = 0; }

}  // namespace sparkprof
