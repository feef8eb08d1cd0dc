// SPDX-License-Identifier: Apache-2.0
#include "model/metric_column.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

namespace sparkprof {
namespace {

TEST(MetricColumn, IsAVectorOfNumbersOfAnySize) {
  std::mt19937_64 random(1);
  std::vector<int64_t> expected;
  MetricColumn column;
  for (int row = 0; row < 5000; ++row) {
    const int64_t value = static_cast<int64_t>(random()) >> (random() % 64);
    expected.push_back(value);
    column.push_back(value);
  }
  for (const int64_t extreme : {INT64_MIN, INT64_MAX, int64_t{-1}, int64_t{127}, int64_t{128}, int64_t{-129}}) {
    const size_t row = random() % expected.size();
    expected[row] = extreme;
    column[row] = extreme;
  }
  ASSERT_EQ(column.size(), expected.size());
  EXPECT_TRUE(std::equal(column.begin(), column.end(), expected.begin()));
  const MetricColumn copy = column;
  column[0] = 0;
  column[0] += 5;
  EXPECT_EQ(column[0], 5);
  EXPECT_EQ(copy[0], expected[0]);
  EXPECT_FALSE(copy == column);
  EXPECT_TRUE(copy == MetricColumn(copy));
}

TEST(MetricColumn, ZerosCostNothingAndSmallNumbersLittle) {
  MetricColumn zeros, small;
  for (int row = 0; row < 1'000'000; ++row) {
    zeros.push_back(0);
    small.push_back(row % 100'000'000);
  }
  EXPECT_LT(zeros.MemoryBytes(), 100'000u);
  EXPECT_LT(small.MemoryBytes(), 3'500'000u);
  EXPECT_EQ(std::accumulate(zeros.begin(), zeros.end(), int64_t{0}), 0);
}

}  // namespace
}  // namespace sparkprof
