// SPDX-License-Identifier: Apache-2.0
#include "prove/recorded_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sparkprof {
namespace {

RecordedRun RunOf(double seconds, int64_t input_bytes = 1000) {
  RecordedRun run;
  run.measures.Set(ProofMeasure::kTime, seconds);
  run.input_bytes = input_bytes;
  return run;
}

// Noise that persists within a day and differs between days.
class Days {
 public:
  explicit Days(std::mt19937_64* random) : random_(random) {}

  void BeginDay() { state_ = 0.05 * normal_(*random_); }
  // `kept`: the share of the state that persists from run to run.
  double Run(double seconds, double kept) {
    state_ = kept * state_ + std::sqrt(1 - kept * kept) * 0.05 * normal_(*random_);
    return seconds * std::exp(state_ + 0.02 * normal_(*random_));
  }

 private:
  std::mt19937_64* random_;
  std::normal_distribution<double> normal_;
  double state_ = 0;
};

RunsDecision Decide(size_t recorded_runs, double effect, double kept, std::mt19937_64* random) {
  Days days(random);
  std::vector<RecordedRun> recorded;
  for (size_t i = 0; i < recorded_runs; ++i) {
    days.BeginDay();
    recorded.push_back(RunOf(days.Run(10, kept)));
  }
  RecordedRuns runs(recorded);
  days.BeginDay();
  for (int64_t i = 0; i < RecordedRuns::kDefaultRuns; ++i) runs.Add(RunOf(days.Run(10 * (1 + effect), kept)));
  return runs.Effects().front().decision;
}

bool IsSeen(RunsDecision decision) { return decision == RunsDecision::kFaster || decision == RunsDecision::kSlower; }

TEST(RecordedRunsTest, SeesAnEffectInAtMostOnePercentOfEqualSeries) {
  constexpr int kSeries = 10'000;
  std::mt19937_64 random(61);
  for (const size_t recorded : {5, 10, 20}) {
    for (const double kept : {0.0, 0.5, 0.9, 1.0}) {
      int seen = 0;
      for (int i = 0; i < kSeries; ++i) seen += IsSeen(Decide(recorded, 0, kept, &random)) ? 1 : 0;
      EXPECT_LE(seen, kSeries / 100) << recorded << " " << kept;
    }
  }
}

TEST(RecordedRunsTest, SeesALargeEffectOnly) {
  constexpr int kSeries = 1'000;
  std::mt19937_64 random(62);
  int large = 0, small = 0;
  for (int i = 0; i < kSeries; ++i) {
    large += Decide(10, -0.4, 0.9, &random) == RunsDecision::kFaster ? 1 : 0;
    small += IsSeen(Decide(10, -0.05, 0.9, &random)) ? 1 : 0;
  }
  EXPECT_GE(large, kSeries * 98 / 100);
  EXPECT_LE(small, kSeries * 20 / 100);
}

TEST(RecordedRunsTest, DecidesNothingBelowFiveRecordedRuns) {
  RecordedRuns runs({RunOf(10), RunOf(10.1), RunOf(9.9), RunOf(10)});
  for (int i = 0; i < 5; ++i) runs.Add(RunOf(2));
  const MeasureEffect effect = runs.Effects().front();
  EXPECT_NEAR(effect.effect.median, -0.8, 0.01);
  EXPECT_EQ(effect.decision, RunsDecision::kOpen);
}

TEST(RecordedRunsTest, LeavesOutRunsThatReadOtherAmountsOfData) {
  RecordedRuns runs({RunOf(10), RunOf(10.1, 1050), RunOf(30, 3000), RunOf(9.9), RunOf(10), RunOf(9.8)});
  for (int i = 0; i < 5; ++i) runs.Add(RunOf(5));
  EXPECT_EQ(runs.Comparable().size(), 5u);
  EXPECT_EQ(runs.Effects().front().decision, RunsDecision::kFaster);
}

TEST(RecordedRunsTest, AMeasureThatARunDoesNotHaveHasNoEffect) {
  RecordedRun with_cpu = RunOf(10);
  with_cpu.measures.Set(ProofMeasure::kCpu, 3);
  RecordedRuns runs({with_cpu, with_cpu, RunOf(10)});
  runs.Add(with_cpu);
  ASSERT_EQ(runs.Effects().size(), 1u);
  EXPECT_EQ(runs.Effects().front().measure, ProofMeasure::kTime);
}

TEST(StudentTTest, HasTheQuantilesOfTables) {
  EXPECT_NEAR(QuantileOfT(0.05, 1), 12.7062, 1e-3);
  EXPECT_NEAR(QuantileOfT(0.05, 2), 4.3027, 1e-3);
  EXPECT_NEAR(QuantileOfT(0.01, 4), 4.6041, 1e-3);
  EXPECT_NEAR(QuantileOfT(0.05, 9), 2.2622, 1e-3);
  EXPECT_NEAR(QuantileOfT(0.001, 30), 3.6460, 1e-3);
  EXPECT_NEAR(ProbabilityOfT(-2.2622, 9), 0.05, 1e-4);
  EXPECT_DOUBLE_EQ(ProbabilityOfT(0, 7), 1);
}

}  // namespace
}  // namespace sparkprof
