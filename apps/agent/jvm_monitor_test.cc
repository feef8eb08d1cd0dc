// SPDX-License-Identifier: Apache-2.0
#include "jvm_monitor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "capture/testing/child_process.h"
#include "model/segment/block.h"
#include "segment_writer.h"

namespace sparkprof {
namespace {

class JvmMonitorTest : public FolderTest {
 protected:
  JvmMonitorTest() {
    std::filesystem::create_directories(Path("hsperfdata_me"));
    WriteCounters("no performance data");
  }

  void WriteCounters(const std::string& bytes) const {
    EXPECT_TRUE(WriteFile(Path("hsperfdata_me/" + std::to_string(getpid())), bytes));
  }
  Segment Written() {
    writer_.Flush();
    return segment_;
  }

  Segment segment_;
  SegmentWriter writer_{[this](const std::string& block, bool) {
    (void)ReadBlocks(block, "block", [this](Segment&& segment) { segment_ = std::move(segment); });
  }};
  JvmMonitor monitor_{getpid(), 0, &writer_, folder_};
};

TEST_F(JvmMonitorTest, ReadingsOfCountersThatFailAreCountedAndNamedOnce) {
  for (int i = 0; i < 3; ++i) monitor_.ReadCounters();
  const Segment segment = Written();
  ASSERT_EQ(segment.losses.size(), 1u);
  EXPECT_EQ(segment.losses[0].what, "jvm_counter_readings");
  EXPECT_EQ(segment.losses[0].count, 3);
  EXPECT_EQ(segment.notices.size(), 1u);
}

TEST_F(JvmMonitorTest, HeapSizesComeFromTheProfilerWhileCountersCannotBeRead) {
  monitor_.ReadCounters();
  monitor_.AddHeapSummaries({{.epoch_ns = 1, .used_bytes = 2, .committed_bytes = 3}});
  EXPECT_EQ(Written().series.size(), 2u);
}

TEST_F(JvmMonitorTest, MemoryOfPythonFollowsItsGrowthBetweenTwoReads) {
  std::filesystem::create_directories(Path("pyspark"));
  ASSERT_TRUE(WriteFile(
      Path("pyspark/daemon.py"),
      "print('ready', flush=True)\ninput()\nkept = b'x' * (64 << 20)\nprint('grown', flush=True)\ninput()\n"));
  ChildProcess daemon({"env", "PYTHONPATH=" + folder_, "python3", "-m", "pyspark.daemon"});
  ASSERT_EQ(daemon.ReadLine(), "ready");
  monitor_.ReadProcesses();
  ASSERT_EQ(write(daemon.Input(), "\n", 1), 1);
  ASSERT_EQ(daemon.ReadLine(), "grown");
  monitor_.ReadProcesses();
  const Segment segment = Written();
  const auto memory = std::find_if(segment.series.begin(), segment.series.end(),
                                   [](const Series& series) { return series.name == "process.pss_bytes"; });
  ASSERT_NE(memory, segment.series.end());
  ASSERT_EQ(memory->points.size(), 2u);
  EXPECT_NEAR(memory->points[1].value - memory->points[0].value, 64 << 20, 2 << 20);
}

}  // namespace
}  // namespace sparkprof
