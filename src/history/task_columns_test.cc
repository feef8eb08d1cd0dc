// SPDX-License-Identifier: Apache-2.0
#include "history/task_columns.h"

#include <gtest/gtest.h>

#include "history/history.h"

namespace sparkprof {
namespace {

TEST(TaskColumnsTest, AMetricTakesMemoryFromItsFirstValueOtherThanZero) {
  TaskColumns tasks;
  for (int i = 0; i < 1000; ++i) tasks.AddRow();
  const uint64_t without = tasks.Bytes();
  HistoryTaskValues values;
  tasks.SetValues(999, values);
  EXPECT_EQ(tasks.Bytes(), without);
  EXPECT_FALSE(tasks.HasValues(SparkTaskMetric::kRunTime));
  values.numbers[static_cast<size_t>(SparkTaskMetric::kRunTime)] = 7;
  tasks.SetValues(999, values);
  EXPECT_GE(tasks.Bytes(), without + 1000 * sizeof(int64_t));
  EXPECT_EQ(tasks.Value(999, SparkTaskMetric::kRunTime), 7);
  EXPECT_EQ(tasks.Value(998, SparkTaskMetric::kRunTime), 0);
}

}  // namespace
}  // namespace sparkprof
