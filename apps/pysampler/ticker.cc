// SPDX-License-Identifier: Apache-2.0
#include "ticker.h"

#include <signal.h>
#include <time.h>

#include <initializer_list>

#include "own_threads.h"

namespace sparkprof {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr size_t kStackSize = 256 << 10;

}  // namespace

int64_t MonotonicNanos() { return ClockNanos(CLOCK_MONOTONIC); }

Ticker::Ticker(int64_t interval_ns) : interval_ns_(interval_ns) {
  pthread_mutex_init(&stop_mutex_, nullptr);
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&stop_condition_, &attributes);
  pthread_condattr_destroy(&attributes);
}

bool Ticker::Start() {
  if (running_) return true;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackSize);
  // Other threads of the process handle signals; faults are delivered to the thread that causes them.
  sigset_t all, before;
  sigfillset(&all);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, signal);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  stopping_ = false;
  running_ = pthread_create(&thread_, &attributes, Run, this) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return running_;
}

void Ticker::Stop() {
  if (!running_) return;
  {
    const PthreadLock lock(&stop_mutex_);
    stopping_ = true;
    pthread_cond_signal(&stop_condition_);
  }
  pthread_join(thread_, nullptr);
  running_ = false;
}

void* Ticker::Run(void* self) {
  static_cast<Ticker*>(self)->Loop();
  return nullptr;
}

void Ticker::Loop() {
  OnStart();
  int64_t due_ns = MonotonicNanos();
  uint32_t jitter = static_cast<uint32_t>(due_ns >> 10) | 1;
  // Starts at a random point of the interval; otherwise functions shorter than it would be sampled always or never.
  due_ns += interval_ns_ / 256 * (jitter & 0xFF);
  const PthreadLock lock(&stop_mutex_);
  while (!stopping_) {
    // Randomizes a tenth of the interval to avoid aliasing with periodic work.
    jitter = jitter * 1664525 + 1013904223;
    const int64_t wake_ns = due_ns + interval_ns_ / 10 * (jitter >> 16) / 65536;
    const timespec wake{wake_ns / kNanosPerSecond, wake_ns % kNanosPerSecond};
    while (!stopping_ && pthread_cond_timedwait(&stop_condition_, &stop_mutex_, &wake) == 0) continue;
    if (stopping_ || !OnTick()) break;
    due_ns += interval_ns_;
    const int64_t now_ns = MonotonicNanos();
    // Catches up one late tick and skips others.
    if (due_ns + interval_ns_ < now_ns) due_ns = now_ns;
  }
}

}  // namespace sparkprof
