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

// Their threads differ, so no row of one JVM equals one of another: the index of many rows need not be kept.
TEST(MergedSamplesTest, RowsOfOneJvmAreAddedUpWhateverOthersHave) {
  constexpr int64_t kMany = 600'000;
  MergedSamples merged;
  for (int32_t jvm = 0; jvm < 4; ++jvm) {
    for (int round = 0; round < 2; ++round) {
      for (int64_t time = 0; time < kMany; ++time)
        merged.Add({.thread = static_cast<uint32_t>(jvm), .time_ns = time, .weight = 1}, jvm);
    }
    merged.EndSource();
  }
  const std::vector<Sample> rows = merged.Take();
  ASSERT_EQ(rows.size(), static_cast<size_t>(4 * kMany));
  for (const Sample& row : rows) ASSERT_EQ(row.weight, 2);
}

}  // namespace
}  // namespace sparkprof
