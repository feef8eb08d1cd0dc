// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "formats/records/testing/example_records.h"

namespace sparkprof {
namespace {

constexpr const char* kFolded = "runpy.py:_run_module_as_main:193;job.py:<lambda>:37;job.py:inner:208 5772\n";

TEST(PySparkRecordTest, WorkersAreToldApartByPid) {
  std::string other(kPySparkCpuMemoryRecord);
  other.replace(other.find("7510"), 4, "7511");
  const ProfilerRecords records = ReadRecords(std::string(kPySparkCpuMemoryRecord) + "\n" + other);
  ASSERT_EQ(records.processes.size(), 2U);
  EXPECT_EQ(records.processes[0].name, "7510");
  EXPECT_EQ(records.processes[1].pid, 7511);
  EXPECT_EQ(FirstValue(records, "pmem_rss"), 80871424);
  EXPECT_EQ(FirstValue(records, "cpu_percent"), 100);
}

TEST(PySparkRecordTest, NumbersOfOtherPlatformsAreDetails) {
  const std::string record =
      R"({"pid": 1, "epochMillis": 2, "pmem_rss": 3, "pmem_vms": 4, "pmem_shared": 5, "cpu_percent": 6})";
  EXPECT_EQ(FirstValue(ReadRecords(record), "pmem_shared"), 5);
  EXPECT_EQ(ReadRecords(record).series.size(), 4U);
  EXPECT_EQ(ReadRecords(record, {.details = false}).series.size(), 3U);
}

TEST(PySparkRecordTest, FramesHaveFileFunctionAndLine) {
  const ProfilerRecords records = ReadRecords(kPySparkStackRecord);
  EXPECT_EQ(Folded(records), kFolded);
  EXPECT_EQ(records.strings.Get(records.stack_counts[0].rdd), "8_id");
  std::vector<FrameId> frames;
  records.stacks.Unwind(records.stack_counts[0].stack, &frames);
  const Frame& leaf = records.frames.Get(frames.back());
  EXPECT_EQ(records.strings.Get(leaf.name), "inner");
  EXPECT_EQ(records.strings.Get(leaf.file), "job.py");
  EXPECT_EQ(leaf.line, 208U);
  EXPECT_EQ(leaf.kind, FrameKind::kPython);
}

TEST(PySparkRecordTest, AnyFrameTextIsWrittenAsItWas) {
  for (const char* frame :
       {"a", "a:b", "a:b:0", "a:b:01", "a:b:-1", ":b:1", "a::1", "a:b:c:1", "a:b:99999999999", ""}) {
    const std::string record = R"({"stacktrace":[")" + std::string(frame) + R"("],"count":1,"i_d":"8_id"})";
    EXPECT_EQ(Folded(ReadRecords(record)), std::string(frame) + " 1\n");
  }
}

TEST(PySparkRecordTest, StacksAsShowPrintsThemAreRead) {
  const ProfilerRecords records = ReadRecords(
      "\"job.py:inner:208\",\"job.py:<lambda>:37\",\"runpy.py:_run_module_as_main:193\"\t5772\t8_id\n"
      "\"just a quoted word\"\n\"a\"\tb\tc\n");
  EXPECT_EQ(Folded(records), kFolded);
  EXPECT_EQ(records.damaged_lines, 0);
}

TEST(PySparkRecordTest, QuotesAndBackslashesInPathsAreRead) {
  const std::string record =
      R"({"stacktrace":["C:\jobs\my "best" job.py:inner:2","C:\py\runpy.py:main:1"],"count":4,"i_d":"8_id"})";
  EXPECT_EQ(Folded(ReadRecords(record)), "C:\\py\\runpy.py:main:1;C:\\jobs\\my \"best\" job.py:inner:2 4\n");
}

}  // namespace
}  // namespace sparkprof
