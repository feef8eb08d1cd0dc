// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr double kMebibyte = 1 << 20;

class UnusedMemoryTest : public StageFindingTest {
 protected:
  UnusedMemoryTest() { builder_.AddTask(1, stage_, executor_, 0, 50, 50); }

  void AddHeap(double mebibytes, double used_mebibytes) {
    const auto series = [&](const char* name, double value) {
      application().series.push_back(
          {name, executor_, -1, SeriesKind::kGauge, {{ApplicationBuilder::Time(1), value * kMebibyte}}});
    };
    series("jvm.heap_max_bytes", mebibytes);
    series("jvm.heap_used_bytes", used_mebibytes);
  }
};

TEST_F(UnusedMemoryTest, AHeapUsedToTwoFifthsIsTooLarge) {
  AddHeap(10240, 4096);
  const Finding finding = Found("unused-memory");
  EXPECT_EQ(Weighed(finding), "low, saves no known time; alloc; peaks of the executors' heaps");
  EXPECT_NE(finding.change.find("spark.executor.memory=5376m"), std::string::npos) << finding.change;
  application().series[1].points[0].value += kMebibyte;
  EXPECT_FALSE(Finds("unused-memory"));
}

TEST_F(UnusedMemoryTest, AHeapBelowFourGibibytesIsNotWorthChanging) {
  AddHeap(4096, 1024);
  EXPECT_TRUE(Finds("unused-memory"));
  application().series[0].points[0].value -= 1;
  EXPECT_FALSE(Finds("unused-memory"));
}

TEST_F(UnusedMemoryTest, AHeapIsNotReducedBelowAGibibyteNorOnDatabricks) {
  application().executors[0].peak_metrics = {{"JVMHeapMemory", int64_t{200} << 20}};
  Set({{"spark.executor.memory", "8g"}});
  EXPECT_NE(Found("unused-memory").change.find("spark.executor.memory=1g"), std::string::npos);
  application().environment[0].second.emplace_back("spark.databricks.clusterUsageTags.clusterId", "7");
  EXPECT_EQ(Found("unused-memory").change, "Use a node type with less memory per core. This saves memory, not time");
}

TEST_F(UnusedMemoryTest, AHeapIsNotReducedWhereTasksSpillOrExecutorsAreLost) {
  application().executors[0].peak_metrics = {{"JVMHeapMemory", int64_t{2} << 30}};
  Set({{"spark.executor.memory", "8g"}});
  EXPECT_TRUE(Finds("unused-memory"));
  MetricColumn& spilled = tasks().Column(TaskMetric::kDiskSpilled);
  spilled[spilled.size() - 1] = 1;
  EXPECT_FALSE(Finds("unused-memory"));
  spilled[spilled.size() - 1] = 0;
  application().executors[0].remove_ns = ApplicationBuilder::Time(60);
  application().executors[0].remove_reason = "Command exited with code 137";
  EXPECT_TRUE(Finds("lost-executors"));
  EXPECT_FALSE(Finds("unused-memory"));
}

}  // namespace
}  // namespace sparkprof
