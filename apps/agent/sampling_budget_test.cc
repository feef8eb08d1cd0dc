// SPDX-License-Identifier: Apache-2.0
#include "sampling_budget.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;
constexpr int64_t kMiB = int64_t{1} << 20;
constexpr EventNumbers kFinest{10'000'000, 100'000'000, 2 * kMiB, 5'000'000};

// A JVM that uses two cores; its samples cost what their intervals make of these rates.
struct Job {
  double alloc_bytes_per_second = 0;
  double lock_ns_per_second = 0;
  double threads = 50;

  EventNumbers CostOfSecond(const EventNumbers& intervals) const {
    const auto samples = [](double rate, int64_t interval) { return rate / static_cast<double>(interval); };
    return {static_cast<int64_t>(20'000 * samples(2 * kSecond, intervals[0])),
            static_cast<int64_t>(1'000 * samples(threads * kSecond, intervals[1])),
            static_cast<int64_t>(30'000 * samples(alloc_bytes_per_second, intervals[2])),
            static_cast<int64_t>(30'000 * samples(lock_ns_per_second, intervals[3]))};
  }
};

class SamplingBudgetTest : public testing::Test {
 protected:
  // Five seconds to a decision, as dumps are.
  void Run(const Job& job, int decisions) {
    for (int i = 0; i < decisions; ++i) {
      budget_.SetIntervals(finest_, intervals_);
      cost_ns_ = 0;
      for (int second = 0; second < 5; ++second) {
        const EventNumbers cost = job.CostOfSecond(intervals_);
        budget_.Add(cost);
        for (const int64_t ns : cost) cost_ns_ += ns;
      }
      now_ns_ += 5 * kSecond;
      if (const auto next = budget_.Next(now_ns_, 2 * now_ns_)) {
        intervals_ = *next;
        ++changes_;
      }
    }
  }
  double CostShare() const { return static_cast<double>(cost_ns_) / (10.0 * kSecond); }

  SamplingBudget budget_;
  EventNumbers finest_ = kFinest;
  EventNumbers intervals_ = kFinest;
  int64_t now_ns_ = kSecond;
  int64_t cost_ns_ = 0;
  int changes_ = 0;
};

TEST_F(SamplingBudgetTest, AJobThatAllocatesAllTheTimeCostsLessThanHalfAPercent) {
  const Job job{.alloc_bytes_per_second = 4.3e9};
  Run(job, 1);
  EXPECT_GT(CostShare(), 0.02);
  Run(job, 5);
  EXPECT_LT(CostShare(), 0.005);
  EXPECT_NEAR(static_cast<double>(intervals_[2]), 30e-6 * 4.3e9 / (0.001 * 2 * 0.8), 2 * kMiB);
  EXPECT_EQ(intervals_[0], kFinest[0]);
  EXPECT_EQ(changes_, 1);
}

TEST_F(SamplingBudgetTest, ManyThreadsAndLocksStayInTheBudget) {
  Run({.alloc_bytes_per_second = 8e9, .lock_ns_per_second = 400e9, .threads = 5000}, 6);
  EXPECT_LT(CostShare(), 0.005);
  EXPECT_GT(intervals_[1], kFinest[1]);
  EXPECT_GT(intervals_[3], kFinest[3]);
}

TEST_F(SamplingBudgetTest, ALargerShareKeepsFinerIntervals) {
  budget_.SetShare(0.02);
  Run({.alloc_bytes_per_second = 4.3e9}, 6);
  EXPECT_GT(CostShare(), 0.002);
  EXPECT_LT(CostShare(), 0.02);
  EXPECT_NEAR(static_cast<double>(intervals_[2]), 30e-6 * 4.3e9 / (0.004 * 2 * 0.8), 2 * kMiB);
}

TEST_F(SamplingBudgetTest, AQuietJobIsSampledAsConfigured) {
  intervals_ = {10'000'000, 100'000'000, 8 * kMiB, 20'000'000};
  Run({.alloc_bytes_per_second = 10e6}, 3);
  EXPECT_EQ(intervals_, kFinest);
}

TEST_F(SamplingBudgetTest, AnIntervalThatFitsStaysWhenTheRateChangesALittle) {
  Run({.alloc_bytes_per_second = 4.3e9}, 3);
  changes_ = 0;
  for (const double rate : {3e9, 4.2e9, 1.5e9, 4.6e9}) Run({.alloc_bytes_per_second = rate}, 2);
  EXPECT_EQ(changes_, 0);
}

TEST_F(SamplingBudgetTest, AFixedIntervalStays) {
  finest_[2] = 0;
  Run({.alloc_bytes_per_second = 4.3e9}, 5);
  EXPECT_EQ(intervals_, kFinest);
}

TEST_F(SamplingBudgetTest, AnEventThatIsNotSampledStaysSo) {
  intervals_[2] = 0;
  Run({}, 5);
  EXPECT_EQ(intervals_[2], 0);
}

TEST_F(SamplingBudgetTest, AShortWindowIsNoReasonToChange) {
  budget_.SetIntervals(kFinest, kFinest);
  EXPECT_FALSE(budget_.Next(now_ns_, 0));
  budget_.Add({0, 0, kSecond, 0});
  EXPECT_FALSE(budget_.Next(now_ns_ + kSecond / 2, kSecond));
  EXPECT_TRUE(budget_.Next(now_ns_ + kSecond, kSecond));
}

TEST(NextIntervalTest, GrowsAboveTheShareAndShrinksBelowAQuarter) {
  EXPECT_EQ(NextInterval(10, 10, 110, 100), 10);
  EXPECT_EQ(NextInterval(10, 10, 111, 100), 20);
  EXPECT_EQ(NextInterval(10, 10, 1'600, 100), 200);
  EXPECT_EQ(NextInterval(10, 160, 25, 100), 160);
  EXPECT_EQ(NextInterval(10, 160, 24, 100), 70);
  EXPECT_EQ(NextInterval(10, 160, 0, 100), 40) << "a quarter at a time";
  EXPECT_EQ(NextInterval(10, 40, 0, 100), 10);
  EXPECT_EQ(NextInterval(10, 10, 0, 100), 10);
  EXPECT_EQ(NextInterval(10, 10, INT64_MAX / 2, 0), int64_t{10} << 20);
}

}  // namespace
}  // namespace sparkprof
