// SPDX-License-Identifier: Apache-2.0
// Recordings of a real JVM, compared with what the JDK's own `jfr summary` counts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>

#include "base/file.h"
#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/testing/event_recorder.h"

namespace sparkprof {
namespace {

using testing::EventRecorder;

bool IsOnPath(const char* program) {
  return std::system(("command -v " + std::string(program) + " >/dev/null 2>&1").c_str()) == 0;
}

class JfrRecordingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!IsOnPath("java") || !IsOnPath("jfr")) GTEST_SKIP() << "no java and jfr (JDK 11 or later) on PATH";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Runs testing/Work.java with the options and reads what it recorded into Path().
  void Record(const std::string& options) {
    const std::string command =
        "java " + options + " " SPARKPROF_SOURCE_DIR "/src/formats/jfr/testing/Work.java >" + folder_ + "/log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const auto file = MappedFile::Open(Path());
    ASSERT_TRUE(file) << file.error().message;
    for (std::string_view rest = file->Bytes(); !rest.empty();) {
      const auto header = ParseJfrChunkHeader(rest, Path(), file->Bytes().size() - rest.size());
      ASSERT_TRUE(header) << header.error().message;
      const auto status = recorder_.Read(rest.substr(0, header->size));
      ASSERT_TRUE(status) << status.error().message;
      EXPECT_EQ(status->damaged_events, 0u);
      EXPECT_EQ(status->missing_stacks, 0u);
      EXPECT_EQ(status->unread_bytes, 0u);
      rest.remove_prefix(header->size);
    }
    CountBySummary();
  }

  std::string Path() const { return folder_ + "/recording.jfr"; }

  uint64_t Summary(std::initializer_list<const char*> types) const {
    uint64_t sum = 0;
    for (const char* type : types) {
      const auto count = summary_.find(type);
      if (count != summary_.end()) sum += count->second;
    }
    return sum;
  }

  uint64_t Samples(Event event) const {
    uint64_t count = 0;
    for (const JfrSample& sample : recorder_.samples) count += sample.event == event;
    return count;
  }

  bool HasStackWith(Event event, std::string_view function) const {
    for (const JfrSample& sample : recorder_.samples) {
      if (sample.event == event && recorder_.Stack(sample.stack).find(function) != std::string::npos) return true;
    }
    return false;
  }

  EventRecorder recorder_;

 private:
  // Lines of the form " jdk.ExecutionSample   97   1058".
  void CountBySummary() {
    FILE* output = popen(("jfr summary " + Path()).c_str(), "r");
    ASSERT_NE(output, nullptr);
    char line[512];
    while (std::fgets(line, sizeof line, output) != nullptr) {
      std::istringstream words(line);
      std::string type;
      uint64_t count = 0;
      if (words >> type >> count) summary_[type] = count;
    }
    ASSERT_EQ(pclose(output), 0);
  }

  const std::string folder_ = ::testing::TempDir() + "sparkprof_jfr_recording_test_" + std::to_string(getpid());
  std::map<std::string, uint64_t> summary_;
};

TEST_F(JfrRecordingTest, TheJdksOwnRecorderIsReadInFull) {
  ASSERT_NO_FATAL_FAILURE(Record("-XX:StartFlightRecording=settings=profile,filename=" + Path()));
  EXPECT_GT(Samples(Event::kCpu), 0u);
  EXPECT_EQ(Samples(Event::kCpu), Summary({"jdk.ExecutionSample", "jdk.CPUTimeSample"}));
  EXPECT_EQ(Samples(Event::kWall), Summary({"jdk.NativeMethodSample"}));
  EXPECT_EQ(Samples(Event::kAlloc), Summary({"jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB",
                                             "jdk.ObjectAllocationSample"}));
  EXPECT_EQ(Samples(Event::kLock), Summary({"jdk.JavaMonitorEnter", "jdk.ThreadPark"}));
  EXPECT_EQ(recorder_.heap_summaries.size(), Summary({"jdk.GCHeapSummary"}));
  EXPECT_EQ(recorder_.settings.size(), Summary({"jdk.ActiveSetting"}));
  EXPECT_TRUE(HasStackWith(Event::kCpu, "Work.burn"));
  EXPECT_TRUE(HasStackWith(Event::kAlloc, "Work.allocate"));
}

TEST_F(JfrRecordingTest, AsyncProfilerIsReadInFull) {
  const char* library = std::getenv("SPARKPROF_ASYNC_PROFILER");
  if (library == nullptr) GTEST_SKIP() << "SPARKPROF_ASYNC_PROFILER does not name libasyncProfiler.so";
  ASSERT_NO_FATAL_FAILURE(Record("-agentpath:" + std::string(library) +
                                 "=start,jfr,event=ctimer,interval=5ms,wall=20ms,alloc=64k,live,lock=100us,"
                                 "clock=monotonic,file=" +
                                 Path()));
  EXPECT_GT(Samples(Event::kCpu), 0u);
  EXPECT_EQ(Samples(Event::kCpu), Summary({"jdk.ExecutionSample"}));
  EXPECT_EQ(Samples(Event::kWall), Summary({"profiler.WallClockSample"}));
  EXPECT_EQ(Samples(Event::kAlloc), Summary({"jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"}));
  EXPECT_EQ(Samples(Event::kLive), Summary({"profiler.LiveObject"}));
  EXPECT_EQ(Samples(Event::kLock), Summary({"jdk.JavaMonitorEnter", "jdk.ThreadPark"}));
  EXPECT_TRUE(HasStackWith(Event::kCpu, "Work.burn"));
  EXPECT_TRUE(HasStackWith(Event::kAlloc, "Work.allocate"));
  EXPECT_TRUE(HasStackWith(Event::kLock, "Work.contend"));
  for (const JfrSample& sample : recorder_.samples) EXPECT_GT(sample.tid, 0);
}

}  // namespace
}  // namespace sparkprof
