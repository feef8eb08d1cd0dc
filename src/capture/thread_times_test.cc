// SPDX-License-Identifier: Apache-2.0
#include "capture/thread_times.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <thread>

#include "base/time.h"

namespace sparkprof {
namespace {

// A thread with a name that computes as long as it is told, and lives on.
class BusyThread {
 public:
  BusyThread(const char* name, int64_t cpu_ns)
      : thread_([this, name, cpu_ns] {
          id_ = gettid();
          pthread_setname_np(pthread_self(), name);
          timespec used{};
          while (used.tv_sec * kNanosPerSecond + used.tv_nsec < cpu_ns) {
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
          }
          has_computed_ = true;
          has_computed_.notify_one();
          may_end_.wait(false);
        }) {
    has_computed_.wait(false);
  }
  int64_t Id() const { return id_; }
  ~BusyThread() {
    may_end_ = true;
    may_end_.notify_one();
    thread_.join();
  }

 private:
  std::atomic<int64_t> id_ = 0;
  std::atomic<bool> has_computed_ = false, may_end_ = false;
  std::thread thread_;
};

TEST(ThreadTimesTest, ThreadsWithNumberedNamesAddUpToTheNanosecond) {
  ThreadTimes times(getpid());
  const BusyThread first("worker-1", 3'000'000), second("worker-22", 4'000'000), other("other", 1'000'000);
  const std::map<std::string, int64_t> read = times.Read();
  if (read.empty()) GTEST_SKIP() << "the kernel has no schedstat";
  EXPECT_GE(read.at("worker-#"), 7'000'000);
  EXPECT_LT(read.at("worker-#"), 17'000'000) << "not in ticks of 10 ms each";
  EXPECT_GE(read.at("other"), 1'000'000);
}

TEST(ThreadTimesTest, WhatAThreadHasUsedStaysAfterItsEnd) {
  ThreadTimes times(getpid());
  {
    const BusyThread thread("ends", 3'000'000);
    if (times.Read().empty()) GTEST_SKIP() << "the kernel has no schedstat";
  }
  EXPECT_GE(times.Read().at("ends"), 3'000'000);
}

TEST(ThreadTimesTest, AThreadHasTheNameOfItsSamples) {
  ThreadTimes times(getpid());
  const BusyThread thread("native", 3'000'000);
  if (times.Read().empty()) GTEST_SKIP() << "the kernel has no schedstat";
  times.SetName(thread.Id(), "Thread-57 of a very long name");
  const std::map<std::string, int64_t> read = times.Read();
  EXPECT_GE(read.at("Thread-# of a "), 3'000'000);
  EXPECT_FALSE(read.contains("native"));
  times.SetName(1 << 30, "unknown");
}

TEST(ThreadTimesTest, AProcessThatIsGoneHasNone) { EXPECT_TRUE(ThreadTimes(1 << 30).Read().empty()); }

}  // namespace
}  // namespace sparkprof
