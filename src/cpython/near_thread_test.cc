// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

#include "cpython/sampler_thread.h"

namespace sparkprof {
namespace {

std::vector<int> AllowedCpus() {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  sched_getaffinity(0, sizeof cpus, &cpus);
  std::vector<int> allowed;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &cpus)) allowed.push_back(cpu);
  }
  return allowed;
}

void StayOn(int cpu) {
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(cpu, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
}

// A thread that runs on one CPU, with a name that looks like the end of a field.
class Runner {
 public:
  explicit Runner(int cpu) : thread_([this, cpu] { Run(cpu); }) { started_.wait(); }
  ~Runner() {
    stop_ = true;
    thread_.join();
  }
  pid_t tid() const { return tid_; }

 private:
  void Run(int cpu) {
    pthread_setname_np(pthread_self(), "a) R 1 (b)");
    StayOn(cpu);
    tid_ = gettid();
    started_.count_down();
    while (!stop_) continue;
  }

  std::latch started_{1};
  std::atomic<bool> stop_ = false;
  std::atomic<pid_t> tid_ = 0;
  std::thread thread_;
};

TEST(NearThread, IsOnTheCpuOfTheThreadThatItFollows) {
  for (const int cpu : AllowedCpus()) {
    Runner runner(cpu);
    std::thread follower([&] {
      NearThread near;
      near.Follow(getpid(), runner.tid());
      EXPECT_EQ(AllowedCpus(), std::vector<int>{cpu});
      EXPECT_EQ(sched_getcpu(), cpu);
    });
    follower.join();
  }
}

TEST(NearThread, FollowsToAnotherCpuAfterAWhile) {
  const std::vector<int> cpus = AllowedCpus();
  Runner first(cpus.front());
  Runner last(cpus.back());
  std::thread follower([&] {
    NearThread near;
    near.Follow(getpid(), first.tid());
    for (int call = 0; call < 64; ++call) near.Follow(getpid(), last.tid());
    EXPECT_EQ(AllowedCpus(), std::vector<int>{cpus.back()});
  });
  follower.join();
}

TEST(NearThread, StaysWhereItIsWhenTheThreadIsGone) {
  std::thread follower([] {
    const std::vector<int> before = AllowedCpus();
    NearThread near;
    near.Follow(getpid(), 0);
    EXPECT_EQ(AllowedCpus(), before);
  });
  follower.join();
}

}  // namespace
}  // namespace sparkprof
