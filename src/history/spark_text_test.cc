// SPDX-License-Identifier: Apache-2.0
#include "history/spark_text.h"

#include <gtest/gtest.h>

#include "history/scala_order.h"

namespace sparkprof {
namespace {

TEST(SparkTextTest, BytesChangeTheirUnitAtTwo) {
  EXPECT_EQ(SparkBytes(0), "0.0 B");
  EXPECT_EQ(SparkBytes(2047), "2047.0 B");
  EXPECT_EQ(SparkBytes(2048), "2.0 KiB");
  EXPECT_EQ(SparkBytes(2304), "2.3 KiB");  // half up
  EXPECT_EQ(SparkBytes(INT64_MAX), "8.0 EiB");
}

TEST(SparkTextTest, DurationsAreRoundedHalfUp) {
  EXPECT_EQ(SparkDuration(999), "999 ms");
  EXPECT_EQ(SparkDuration(1250), "1.3 s");
  EXPECT_EQ(SparkDuration(59'960), "60.0 s");
  EXPECT_EQ(SparkDuration(90'000), "1.5 m");
  EXPECT_EQ(SparkDuration(5'400'000), "1.50 h");
}

TEST(SparkTextTest, MetricsNameTheTaskWithTheHighestValue) {
  EXPECT_EQ(MetricText("sum", {{1'000'000, 234'567}, 3, nullptr}), "1,234,567");
  const MetricMaximum maximum = {5, 3, 0, 17};
  EXPECT_EQ(MetricText("timing", {{1, 5}, 1, &maximum}),
            "total (min, med, max (stageId: taskId))\n6 ms (0 ms, 1 ms, 5 ms (stage 3.0: task 17))");
  EXPECT_EQ(MetricText("average", {{10, 25}, 0, nullptr}),
            "(min, med, max (stageId: taskId)):\n(1, 2.5, 2.5 (driver))");
  EXPECT_EQ(MetricText("nsTiming", {{2'000'000}, 0, nullptr}), "2 ms");
}

TEST(SparkTextTest, AMeasuredZeroIsAValueAndMinusOneIsNot) {
  const MetricMaximum maximum = {5, 3, 0, 17};
  EXPECT_EQ(MetricText("timing", {{0, 5}, 0, &maximum}),
            "total (min, med, max (stageId: taskId))\n5 ms (0 ms, 5 ms, 5 ms (stage 3.0: task 17))");
  EXPECT_EQ(MetricText("timing", {{-1, 5}, 0, &maximum}), "5 ms");
  EXPECT_EQ(MetricText("size", {{-1}, 0, nullptr}), "0.0 B");
  EXPECT_EQ(MetricText("average", {{0, 25}, 0, nullptr}), "2.5") << "no task has an average of zero rows";
}

TEST(ScalaOrderTest, SmallMapsKeepTheOrderOfInsertion) {
  EXPECT_EQ(ScalaMapOrder({9, 3, 7}), (std::vector<size_t>{0, 1, 2}));
}

TEST(ScalaOrderTest, LargerMapsHaveTheOrderOfTheirTrie) {
  // Map(8 -> …, …, 14 -> …).keys in Scala 2.13
  EXPECT_EQ(ScalaMapOrder({8, 9, 10, 11, 12, 13, 14}), (std::vector<size_t>{2, 6, 1, 5, 4, 3, 0}));
}

}  // namespace
}  // namespace sparkprof
