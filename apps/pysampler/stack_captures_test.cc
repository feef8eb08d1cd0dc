// SPDX-License-Identifier: Apache-2.0
#include "stack_captures.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>

namespace sparkprof {
namespace {

// A thread that counts, or sleeps without ever answering.
class Counting {
 public:
  explicit Counting(bool blocks_signals = false)
      : thread_([this, blocks_signals] {
          sigset_t all;
          sigfillset(&all);
          if (blocks_signals) pthread_sigmask(SIG_BLOCK, &all, nullptr);
          tid_ = static_cast<int32_t>(syscall(SYS_gettid));
          for (; !ends_; count_ = count_ + 1) {
            if (blocks_signals) usleep(1000);
          }
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
using Outcome = StackCaptures::Outcome;
using State = StackCaptures::State;

std::unique_ptr<StackCaptures> Make() { return std::make_unique<StackCaptures>(OwnPython{}); }

TEST(StackCaptures, ThreadsAnswerWithTheirRegistersAndStacksAndGoOn) {
  const auto captures = Make();
  ASSERT_TRUE(captures->Install());
  const Counting counting[3];
  int64_t cpu_ns[3] = {};
  for (int i = 0; i < 300; ++i) {
    captures->BeginTurn(0);
    for (const Counting& one : counting) ASSERT_EQ(captures->Ask(one.Tid(), 0, i), Outcome::kAsked);
    captures->Await(10 * kSecond);
    for (int k = 0; k < 3; ++k) {
      const int32_t tid = counting[k].Tid();
      ASSERT_EQ(captures->StateOf(tid), State::kDone);
      const StackCapture& capture = captures->AnswerOf(tid);
      EXPECT_NE(capture.registers().pc, 0u);
      uint64_t word = 0;
      EXPECT_TRUE(capture.ReadStack(capture.registers().values[kStackPointer], &word, sizeof word));
      EXPECT_FALSE(capture.ReadStack(UINT64_MAX, &word, sizeof word));
      EXPECT_GE(capture.CpuNs(), cpu_ns[k]);
      cpu_ns[k] = capture.CpuNs();
      EXPECT_EQ(capture.Walk(), WalkResult::kEmpty);
      captures->End(tid);
      EXPECT_EQ(captures->StateOf(tid), State::kNone);
    }
  }
  const uint64_t before = counting[0].Count();
  while (counting[0].Count() == before) std::this_thread::yield();
}

TEST(StackCaptures, AThreadThatDoesNotAnswerKeepsNoOtherWaiting) {
  const auto captures = Make();
  ASSERT_TRUE(captures->Install());
  const Counting deaf(/*blocks_signals=*/true), counting;
  captures->BeginTurn(0);
  ASSERT_EQ(captures->Ask(deaf.Tid(), 0, 1), Outcome::kAsked);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 2; i < 10; ++i) {
    captures->BeginTurn(0);
    ASSERT_EQ(captures->Ask(deaf.Tid(), 0, i), Outcome::kAsked);
    ASSERT_EQ(captures->Ask(counting.Tid(), 0, i), Outcome::kAsked);
    captures->Await(10 * kSecond);
    EXPECT_EQ(captures->StateOf(counting.Tid()), State::kDone);
    EXPECT_EQ(captures->StateOf(deaf.Tid()), State::kAsked);
    captures->End(counting.Tid());
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(StackCaptures, AThreadThatBlocksSignalsOrIsGoneIsGivenUp) {
  const auto captures = Make();
  ASSERT_TRUE(captures->Install());
  int32_t gone = 0;
  {
    const Counting counting(/*blocks_signals=*/true);
    captures->BeginTurn(0);
    ASSERT_EQ(captures->Ask(counting.Tid(), 0, 1), Outcome::kAsked);
    captures->Await(1'000'000);
    EXPECT_EQ(captures->BeginTurn(1), 0) << "not yet";
    EXPECT_EQ(captures->BeginTurn(2), 1);
    EXPECT_EQ(captures->StateOf(counting.Tid()), State::kGivenUp);
    EXPECT_EQ(captures->BeginTurn(2), 0);
    EXPECT_EQ(captures->StateOf(counting.Tid()), State::kNone);
    gone = counting.Tid();
  }
  // The kernel wakes a joining thread before it removes the ended one.
  while (syscall(SYS_tgkill, getpid(), gone, 0) == 0) std::this_thread::yield();
  EXPECT_EQ(captures->Ask(gone, 0, 3), Outcome::kFailed);
  EXPECT_FALSE(captures->IsLost());
}

TEST(StackCaptures, NoMoreThreadsAreAskedThanThereIsRoom) {
  const auto captures = Make();
  ASSERT_TRUE(captures->Install());
  std::optional<Counting> counting[StackCaptures::kMax + 1];
  captures->BeginTurn(0);
  for (size_t i = 0; i <= StackCaptures::kMax; ++i) {
    counting[i].emplace(/*blocks_signals=*/true);
    EXPECT_EQ(captures->Ask(counting[i]->Tid(), 0, 1), i < StackCaptures::kMax ? Outcome::kAsked : Outcome::kNoRoom);
  }
  captures->EndAll();
  EXPECT_EQ(captures->Ask(counting[StackCaptures::kMax]->Tid(), 0, 1), Outcome::kAsked);
  captures->EndAll();
}

TEST(StackCaptures, ASignalThatTheProcessUsesIsNotTaken) {
  signal(SIGURG, [](int) {});
  const auto captures = Make();
  ASSERT_TRUE(captures->Install()) << "there is another one";
  const Counting counting;
  signal(SIGWINCH, [](int) {});
  captures->BeginTurn(0);
  EXPECT_TRUE(captures->IsLost());
  EXPECT_EQ(captures->Ask(counting.Tid(), 0, 1), Outcome::kFailed);
  EXPECT_FALSE(Make()->Install());
  signal(SIGURG, SIG_DFL);
  signal(SIGWINCH, SIG_DFL);
}

}  // namespace
}  // namespace sparkprof
