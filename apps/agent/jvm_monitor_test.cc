// SPDX-License-Identifier: Apache-2.0
#include "jvm_monitor.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
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

}  // namespace
}  // namespace sparkprof
