// SPDX-License-Identifier: Apache-2.0
#include "byte_sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace sparkprof {
namespace {

constexpr int64_t kInterval = 512 << 10;
constexpr int64_t kBudgetNs = 2'000'000;

// The estimated bytes by size, after `rounds` passes through `sizes`.
std::map<uint64_t, double> Estimate(const std::vector<uint64_t>& sizes, int rounds, uint64_t seed) {
  ByteSampler sampler(kInterval, kBudgetNs, seed);
  std::map<uint64_t, double> bytes;
  for (int round = 0; round < rounds; ++round) {
    for (const uint64_t size : sizes) {
      if (const uint64_t interval = sampler.Choose(size); interval != 0) {
        bytes[size] += static_cast<double>(sampler.Weigh(size, interval));
      }
    }
  }
  return bytes;
}

TEST(ByteSampler, TheBytesOfEachSizeAreRightOnAverageInAMixOfSizes) {
  const std::vector<uint64_t> sizes{64, 2600, 2601, 40'000, 500'000, 600'000, 5'000'000};
  constexpr int kRounds = 2000, kSeeds = 20;
  std::map<uint64_t, double> sums;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    for (const auto& [size, bytes] : Estimate(sizes, kRounds, seed)) sums[size] += bytes;
  }
  for (const uint64_t size : sizes) {
    const double expected = static_cast<double>(size) * kRounds * kSeeds;
    const double chance = -std::expm1(-static_cast<double>(size) / kInterval);
    const double error = size >= kInterval ? 0 : std::sqrt((1 - chance) / chance * kRounds * kSeeds);
    EXPECT_NEAR(sums[size], expected, 3.5 * error * static_cast<double>(size) + kRounds * kSeeds) << size;
  }
}

TEST(ByteSampler, SmallBlocksKeepTheirBytesBesideOneLargeOne) {
  std::vector<uint64_t> sizes(100, 2600);
  sizes.push_back(5'000'000);
  double small = 0, large = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    std::map<uint64_t, double> bytes = Estimate(sizes, 300, seed);
    small += bytes[2600] / (100 * 2600.0 * 300 * 60);
    large += bytes[5'000'000] / (5'000'000.0 * 300 * 60);
  }
  EXPECT_NEAR(small, 1.0, 0.035);  // three standard errors: 8,900 samples
  EXPECT_NEAR(large, 1.0, 1e-9);
}

TEST(ByteSampler, ProcessesWithDifferentSeedsDrawDifferentAllocations) {
  EXPECT_NE(Estimate({100}, 1'000'000, 1), Estimate({100}, 1'000'000, 2));
}

TEST(ByteSampler, ExpensiveSamplesDoubleTheIntervalAndCheapOnesRestoreIt) {
  ByteSampler sampler(kInterval, kBudgetNs, 1);
  int64_t now_ns = 1'000'000'000;
  for (int i = 0; i < 1000; ++i) sampler.AddCost(now_ns += 10'000, 5'000);  // half of the time
  const uint64_t longest = sampler.interval();
  EXPECT_GE(longest, 4U * kInterval);
  for (int i = 0; i < 100; ++i) sampler.AddCost(now_ns += 200'000'000, 5'000);
  EXPECT_EQ(sampler.interval(), static_cast<uint64_t>(kInterval));
}

TEST(ByteSampler, ABurstOfSamplesLeavesTheInterval) {
  ByteSampler sampler(kInterval, kBudgetNs, 1);
  int64_t now_ns = 1'000'000'000;
  for (int i = 0; i < 180; ++i) sampler.AddCost(now_ns += 10'000, 5'000);
  EXPECT_EQ(sampler.interval(), static_cast<uint64_t>(kInterval));
}

TEST(ByteSampler, SamplesCostNoMoreThanTheirShareOfAMinute) {
  constexpr int64_t kSecond = 1'000'000'000, kCostNs = 10'000, kBytesPerSecond = int64_t{4} << 30;
  ByteSampler sampler(kInterval, kBudgetNs, 1);
  int64_t cost_ns = 0;
  for (int64_t now_ns = kSecond; now_ns < 61 * kSecond; cost_ns += kCostNs) {
    now_ns += static_cast<int64_t>(sampler.interval()) * kSecond / kBytesPerSecond;
    sampler.AddCost(now_ns, kCostNs);
  }
  EXPECT_LE(cost_ns, 62 * kBudgetNs + 5'000'000);
  EXPECT_GE(cost_ns, 30 * kBudgetNs);
}

TEST(ByteSampler, AFillingRingDoublesTheIntervalUntilItIsRead) {
  ByteSampler sampler(kInterval, 1'000'000'000, 1);
  for (const int free : {16, 8, 7, 7, 6, 4}) sampler.FollowRing(free);
  EXPECT_EQ(sampler.interval(), 8U * kInterval);
  sampler.FollowRing(16);
  int64_t now_ns = 1'000'000'000;
  for (int i = 0; i < 10; ++i) sampler.AddCost(now_ns += 200'000'000, 5'000);
  EXPECT_EQ(sampler.interval(), static_cast<uint64_t>(kInterval));
  sampler.FollowRing(7);
  EXPECT_EQ(sampler.interval(), 2U * kInterval);
}

TEST(ByteSampler, TheIntervalStaysWhereSamplesMayCostAWholeCore) {
  ByteSampler sampler(kInterval, 1'000'000'000, 1);
  int64_t now_ns = 1'000'000'000;
  for (int i = 0; i < 1000; ++i) sampler.AddCost(now_ns += 10'000, 5'000);
  EXPECT_EQ(sampler.interval(), static_cast<uint64_t>(kInterval));
}

}  // namespace
}  // namespace sparkprof
