// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <initializer_list>

#include "base/testing/folder_test.h"
#include "model/driver_end.h"
#include "model/segment/block.h"
#include "recording/recordings.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartNanos = 1'700'000'000'000'000'000;
constexpr int64_t kPid = 42;

class DriverEndsTest : public FolderTest {
 protected:
  std::string WriteSegments(const std::string& name, std::initializer_list<Segment> segments) const {
    std::string bytes;
    for (const Segment& segment : segments) bytes += EncodeBlock(segment);
    return Write(name, bytes);
  }

  Application ReadOne() const {
    Result<Recording> recording = ReadRecordings({folder_});
    EXPECT_TRUE(recording.has_value()) << recording.error().message;
    EXPECT_EQ(recording->applications.size(), 1u);
    return std::move(recording->applications.front());
  }
};

Segment SegmentOf(const std::string& role, uint64_t sequence) {
  Segment segment;
  segment.source.application_id = "app-1";
  segment.source.executor_id = role == "driver" ? "driver" : "1";
  segment.source.boot_id = "boot";
  segment.source.pid = role == "driver" ? kPid : kPid + 1;
  segment.source.bucket_ns = 1'000'000'000;
  segment.source.role = role;
  segment.source.sequence = sequence;
  const auto seconds = static_cast<int64_t>(sequence) * 1'000'000'000;
  segment.anchors = {{seconds, kStartNanos + seconds}};
  return segment;
}

std::string ReasonOf(const std::string& application) { return "exit code 137 of " + application; }

TEST_F(DriverEndsTest, ADriverWithoutItsLastSegmentHasANoticeOfItsEnd) {
  Segment beginning = SegmentOf("driver", 0);
  beginning.source.application_id = "";
  const std::string first = WriteSegments("a.sprof", {beginning, SegmentOf("executor", 0)});
  const std::string second = WriteSegments("b.sprof", {SegmentOf("driver", 1), SegmentOf("driver", 2)});
  Write("c.sprof", EndsOfDrivers({first, second}, ReasonOf));

  const Application application = ReadOne();
  ASSERT_EQ(application.notices.size(), 1u);
  const ApplicationNotice& end = application.notices[0];
  EXPECT_EQ(end.notice.text, std::string(kDriverEndNotice) + ": exit code 137 of app-1");
  EXPECT_EQ(end.notice.time_ns, kStartNanos + 2'000'000'000);
  EXPECT_EQ(application.executors[static_cast<size_t>(end.executor)].id, "driver");
  EXPECT_FALSE(application.complete);
}

TEST_F(DriverEndsTest, ADriverThatEndedInOrderIsLeftOut) {
  Segment last = SegmentOf("driver", 1);
  last.final = true;
  const std::string path = WriteSegments("a.sprof", {SegmentOf("driver", 0), last});
  EXPECT_EQ(EndsOfDrivers({path}, ReasonOf), "");
}

TEST_F(DriverEndsTest, FilesThatCannotBeReadAreSkipped) {
  const std::string driver = WriteSegments("a.sprof", {SegmentOf("driver", 0)});
  const std::vector<std::string> paths{Write("b.sprof", "this is not a block"), Write("c.sprof", ""),
                                       Path("none.sprof"), driver};
  EXPECT_EQ(EndsOfDrivers(paths, ReasonOf), EndsOfDrivers({driver}, ReasonOf));
  EXPECT_NE(EndsOfDrivers(paths, ReasonOf), "");
}

}  // namespace
}  // namespace sparkprof
