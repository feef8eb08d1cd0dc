// SPDX-License-Identifier: Apache-2.0
#include "stack_capture.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

namespace sparkprof {
namespace {

// A thread that counts.
class Counting {
 public:
  explicit Counting(bool blocks_signals = false)
      : thread_([this, blocks_signals] {
          sigset_t all;
          sigfillset(&all);
          if (blocks_signals) pthread_sigmask(SIG_BLOCK, &all, nullptr);
          tid_ = static_cast<int32_t>(syscall(SYS_gettid));
          while (!ends_) count_ = count_ + 1;
        }) {
    while (tid_ == 0) std::this_thread::yield();
  }
  ~Counting() {
    ends_ = true;
    thread_.join();
  }

  int32_t Tid() const { return tid_; }
  uint64_t Count() const { return count_; }

 private:
  std::atomic<int32_t> tid_{0};
  std::atomic<bool> ends_{false};
  std::atomic<uint64_t> count_{0};
  std::thread thread_;
};

constexpr int64_t kSecond = 1'000'000'000;

// It is large.
std::unique_ptr<StackCapture> Make() { return std::make_unique<StackCapture>(OwnPython{}); }

TEST(StackCapture, AThreadAnswersWithItsRegistersAndStackAndGoesOn) {
  const auto capture = Make();
  ASSERT_TRUE(capture->Install());
  const Counting counting;
  int64_t cpu_ns = 0;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(capture->Ask(counting.Tid(), 0));
    EXPECT_FALSE(capture->IsIdle());
    ASSERT_TRUE(capture->Await(10 * kSecond));
    EXPECT_NE(capture->registers().pc, 0u);
    uint64_t word = 0;
    EXPECT_TRUE(capture->ReadStack(capture->registers().values[kStackPointer], &word, sizeof word));
    EXPECT_FALSE(capture->ReadStack(UINT64_MAX, &word, sizeof word));
    EXPECT_GE(capture->CpuNs(), cpu_ns);
    cpu_ns = capture->CpuNs();
    EXPECT_EQ(capture->Walk(), WalkResult::kEmpty);
    capture->End();
    EXPECT_TRUE(capture->IsIdle());
  }
  const uint64_t before = counting.Count();
  while (counting.Count() == before) std::this_thread::yield();
}

TEST(StackCapture, AThreadThatBlocksSignalsOrIsGoneIsGivenUp) {
  const auto capture = Make();
  ASSERT_TRUE(capture->Install());
  int32_t gone = 0;
  {
    const Counting counting(/*blocks_signals=*/true);
    ASSERT_TRUE(capture->Ask(counting.Tid(), 0));
    EXPECT_FALSE(capture->Await(1'000'000));
    capture->End();
    gone = counting.Tid();
  }
  EXPECT_FALSE(capture->Ask(gone, 0));
  EXPECT_FALSE(capture->IsLost());
  const Counting counting;
  ASSERT_TRUE(capture->Ask(counting.Tid(), 0)) << "the next thread is asked";
  EXPECT_TRUE(capture->Await(10 * kSecond));
  capture->End();
}

TEST(StackCapture, ASignalThatTheProcessUsesIsNotTaken) {
  signal(SIGURG, [](int) {});
  const auto capture = Make();
  ASSERT_TRUE(capture->Install()) << "there is another one";
  const Counting counting;
  signal(SIGWINCH, [](int) {});
  EXPECT_FALSE(capture->Ask(counting.Tid(), 0));
  EXPECT_TRUE(capture->IsLost());
  EXPECT_FALSE(Make()->Install());
  signal(SIGURG, SIG_DFL);
  signal(SIGWINCH, SIG_DFL);
}

}  // namespace
}  // namespace sparkprof
