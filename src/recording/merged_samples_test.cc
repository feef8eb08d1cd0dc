// SPDX-License-Identifier: Apache-2.0
#include "recording/merged_samples.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(MergedSamplesTest, RowsThatAgreeAreAddedUpInOrderOfFirstSight) {
  constexpr int64_t kTimes = 10'000;
  MergedSamples merged;
  merged.Reserve(3 * kTimes);
  for (int round = 0; round < 2; ++round) {
    for (int64_t time = 0; time < kTimes; ++time) merged.Add({.stack = 1, .time_ns = time, .weight = 5}, 3);
  }
  merged.Add({.stack = 2, .time_ns = 0, .weight = 7}, 3);
  const std::vector<Sample> rows = merged.Take();
  ASSERT_EQ(rows.size(), static_cast<size_t>(kTimes + 1));
  for (int64_t time = 0; time < kTimes; ++time) {
    const Sample& row = rows[static_cast<size_t>(time)];
    EXPECT_EQ(row.time_ns, time);
    EXPECT_EQ(row.weight, 10);
    EXPECT_EQ(row.count, 2);
  }
  EXPECT_EQ(rows.back().weight, 7);
}

}  // namespace
}  // namespace sparkprof
