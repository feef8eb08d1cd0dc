// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>

#include <cstdint>

namespace sparkprof {

// A thread inside a Python process that ticks at an interval. Small stack, no signals, no allocation; never acquires
// the GIL. Start and Stop must not be called concurrently.
class Ticker {
 public:
  explicit Ticker(int64_t interval_ns);
  virtual ~Ticker() = default;
  Ticker(const Ticker&) = delete;
  Ticker& operator=(const Ticker&) = delete;

  // Returns false if no thread can be created. No effect if already running.
  bool Start();
  // Waits for the thread's end. The thread must be stopped while the process is forked.
  void Stop();

 protected:
  // Called on the thread: once before the first tick, then at each interval. Returning false ends the thread, which
  // must still be stopped.
  virtual void OnStart() = 0;
  virtual bool OnTick() = 0;

  int64_t interval_ns() const { return interval_ns_; }
  // Call on the thread, or while it is stopped.
  void SetInterval(int64_t interval_ns) { interval_ns_ = interval_ns; }

 private:
  static void* Run(void* self);
  void Loop();

  int64_t interval_ns_;
  pthread_mutex_t stop_mutex_;
  pthread_cond_t stop_condition_;
  bool stopping_ = false;
  bool running_ = false;
  pthread_t thread_{};
};

int64_t MonotonicNanos();

class PthreadLock {
 public:
  explicit PthreadLock(pthread_mutex_t* mutex) : mutex_(mutex) { pthread_mutex_lock(mutex_); }
  ~PthreadLock() { pthread_mutex_unlock(mutex_); }
  PthreadLock(const PthreadLock&) = delete;
  PthreadLock& operator=(const PthreadLock&) = delete;

 private:
  pthread_mutex_t* mutex_;
};

}  // namespace sparkprof
