// SPDX-License-Identifier: Apache-2.0
#include "prove/paired_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sparkprof {
namespace {

constexpr size_t kPairs = 12;

// A machine whose speed drifts and whose noise is autocorrelated.
class Machine {
 public:
  Machine(double autocorrelation, double drift, std::mt19937_64* random)
      : autocorrelation_(autocorrelation), drift_(drift), random_(random) {
    state_ = normal_(*random_);
  }

  double Run(double work) {
    state_ = autocorrelation_ * state_ + std::sqrt(1 - autocorrelation_ * autocorrelation_) * normal_(*random_);
    drifted_ += drift_;
    return work * std::exp(0.05 * state_ + 0.02 * normal_(*random_) + drifted_);
  }

 private:
  const double autocorrelation_, drift_;
  std::mt19937_64* random_;
  std::normal_distribution<double> normal_;
  double state_ = 0, drifted_ = 0;
};

PairedRuns::Decision Prove(double effect, double autocorrelation, double drift, std::mt19937_64* random) {
  Machine machine(autocorrelation, drift, random);
  PairedRuns test;
  while (test.Pairs() < kPairs && test.Decided() == PairedRuns::Decision::kOpen) {
    const bool is_first = (*random)() % 2 == 0;
    const double first = machine.Run(is_first ? 10 : 10 * (1 + effect));
    const double second = machine.Run(is_first ? 10 * (1 + effect) : 10);
    test.Add(is_first ? first : second, is_first ? second : first);
  }
  return test.Decided();
}

TEST(PairedRunsTest, SeesAnEffectInLessThanOnePercentOfEqualSeries) {
  constexpr int kSeries = 10'000;
  std::mt19937_64 random(58);
  for (const double autocorrelation : {0.0, 0.5, 0.9}) {
    for (const double drift : {0.0, 0.01}) {
      int seen = 0;
      for (int i = 0; i < kSeries; ++i) {
        const PairedRuns::Decision decision = Prove(0, autocorrelation, drift, &random);
        seen += decision == PairedRuns::Decision::kFaster || decision == PairedRuns::Decision::kSlower ? 1 : 0;
      }
      EXPECT_LE(seen, kSeries / 100) << autocorrelation << " " << drift;
    }
  }
}

TEST(PairedRunsTest, ProvesALargeEffectWithinItsRuns) {
  constexpr int kSeries = 1'000;
  std::mt19937_64 random(59);
  int proved = 0;
  for (int i = 0; i < kSeries; ++i) proved += Prove(-0.3, 0.5, 0, &random) == PairedRuns::Decision::kFaster ? 1 : 0;
  EXPECT_GE(proved, kSeries * 98 / 100);
}

TEST(PairedRunsTest, FindsNoDifferenceWhereRunsAreAlike) {
  PairedRuns test;
  for (const double change : {1.001, 0.999, 1.002, 0.998, 1.0, 1.001}) test.Add(10, 10 * change);
  EXPECT_EQ(test.Decided(), PairedRuns::Decision::kNoDifference);
}

TEST(PairedRunsTest, LeavesASmallEffectOpenWhereNoiseIsLarger) {
  PairedRuns test;
  double before = 10;
  for (int pair = 0; pair < 4; ++pair) {
    test.Add(before, before * (pair % 2 == 0 ? 0.8 : 1.1));
    before = pair % 2 == 0 ? 12 : 9;
  }
  EXPECT_EQ(test.Decided(), PairedRuns::Decision::kOpen);
  EXPECT_GT(test.LeastEffect(), 0.1);
}

TEST(PairedRunsTest, HasNoIntervalFromThreePairs) {
  PairedRuns test;
  for (int pair = 0; pair < 3; ++pair) test.Add(10, 7);
  EXPECT_EQ(test.Decided(), PairedRuns::Decision::kOpen);
  EXPECT_DOUBLE_EQ(test.Estimate().low, -1);
  EXPECT_TRUE(std::isinf(test.Estimate().high));
  EXPECT_NEAR(test.Estimate().median, -0.3, 1e-9);
}

TEST(PairedRunsTest, IntervalContainsTheEffectOfDecidedSeries) {
  constexpr int kSeries = 2'000;
  std::mt19937_64 random(60);
  int outside = 0;
  for (int i = 0; i < kSeries; ++i) {
    Machine machine(0.5, 0, &random);
    PairedRuns test;
    while (test.Pairs() < kPairs && test.Decided() == PairedRuns::Decision::kOpen) {
      const double before = machine.Run(10);
      test.Add(before, machine.Run(8));
    }
    const PairedRuns::Effect effect = test.Estimate();
    outside += effect.low <= -0.2 && -0.2 <= effect.high ? 0 : 1;
  }
  EXPECT_LE(outside, kSeries * 5 / 100);
}

}  // namespace
}  // namespace sparkprof
