// SPDX-License-Identifier: Apache-2.0
// Recordings of a real JVM, compared with what the JDK's own reader counts and adds up.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>
#include <sstream>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "base/testing/source_file.h"
#include "formats/jfr/jfr_chunk_header.h"
#include "formats/jfr/jfr_metadata.h"
#include "formats/jfr/testing/event_recorder.h"
#include "formats/jfr/testing/example_chunk.h"

namespace sparkprof {
namespace {

using testing::EventRecorder;
using testing::ExampleChunk;
using testing::Writer;

// The fields of each type: "java.lang.Class objectClass".
std::map<std::string, std::set<std::string>> FieldsOf(std::string_view chunk) {
  std::map<std::string, std::set<std::string>> fields;
  const auto header = ParseJfrChunkHeader(chunk, "chunk", 0);
  const auto metadata = ReadJfrMetadata(*FindJfrMetadata(chunk, header->metadata_offset));
  for (const JfrType& type : metadata->types) {
    for (const JfrField& field : type.fields) {
      const JfrType* of = metadata->Find(field.type);
      fields[type.name].insert((of == nullptr ? "?" : of->name) + (field.constant_pool ? "* " : " ") + field.name);
    }
  }
  return fields;
}

bool IsOnPath(const char* program) {
  return std::system(("command -v " + std::string(program) + " >/dev/null 2>&1").c_str()) == 0;
}

class JfrRecordingTest : public FolderTest {
 protected:
  void SetUp() override {
    if (!IsOnPath("java")) GTEST_SKIP() << "no java (JDK 11 or later) on PATH";
  }

  // Runs a program of testing/ with the options and reads what it recorded into RecordingPath().
  void Record(const std::string& options, const std::string& program = "Work.java") {
    const std::string command =
        "java " + options + " " + SourceFile("src/formats/jfr/testing/" + program) + " >" + folder_ + "/log 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
    const auto file = MappedFile::Open(RecordingPath());
    ASSERT_TRUE(file) << file.error().message;
    for (std::string_view rest = file->Bytes(); !rest.empty();) {
      const auto header = ParseJfrChunkHeader(rest, RecordingPath(), file->Bytes().size() - rest.size());
      ASSERT_TRUE(header) << header.error().message;
      const auto status = recorder_.Read(rest.substr(0, header->size));
      ASSERT_TRUE(status) << status.error().message;
      EXPECT_EQ(status->damaged_events, 0u);
      EXPECT_EQ(status->missing_stacks, 0u);
      EXPECT_EQ(status->unread_bytes, 0u);
      rest.remove_prefix(header->size);
    }
    AddUp();
  }

  // The types that tests of the reader write are those of the real recorder.
  void ExpectFieldsOfExample(Writer writer) const {
    const auto file = MappedFile::Open(RecordingPath());
    ASSERT_TRUE(file) << file.error().message;
    const auto recorded = FieldsOf(file->Bytes());
    size_t compared = 0;
    for (const auto& [type, fields] : FieldsOf(ExampleChunk(writer))) {
      const auto real = recorded.find(type);
      if (real == recorded.end()) continue;
      for (const std::string& field : fields) {
        EXPECT_TRUE(real->second.contains(field)) << type << " has no " << field;
        ++compared;
      }
    }
    EXPECT_GT(compared, 50u);
  }

  std::string RecordingPath() const { return Path("recording.jfr"); }

  struct Sum {
    uint64_t count = 0;
    int64_t weight = 0;
  };

  // Compares with the records of these types, and returns how many there are.
  uint64_t ExpectAll(Event event, std::initializer_list<const char*> types) const {
    Sum ours, theirs;
    for (const JfrSample& sample : recorder_.samples) {
      if (sample.event != event) continue;
      ++ours.count;
      ours.weight += event == Event::kWall ? sample.count : sample.weight;
    }
    for (const char* type : types) {
      theirs.count += Of(type).count;
      theirs.weight += Of(type).weight;
    }
    EXPECT_EQ(ours.count, theirs.count) << EventName(event);
    if (event == Event::kCpu) return ours.count;  // has no weight
    // Ticks become ns, rounded for each record.
    EXPECT_NEAR(static_cast<double>(ours.weight), static_cast<double>(theirs.weight), static_cast<double>(ours.count))
        << EventName(event);
    return ours.count;
  }

  Sum Of(const std::string& type) const {
    const auto sum = sums_.find(type);
    return sum == sums_.end() ? Sum() : sum->second;
  }

  bool HasStackWith(Event event, std::string_view function) const {
    for (const JfrSample& sample : recorder_.samples) {
      if (sample.event == event && recorder_.Stack(sample.stack).find(function) != std::string::npos) return true;
    }
    return false;
  }

  EventRecorder recorder_;

 private:
  void AddUp() {
    FILE* output = popen(("java " + SourceFile("src/formats/jfr/testing/Sums.java ") + RecordingPath()).c_str(), "r");
    ASSERT_NE(output, nullptr);
    char line[512];
    while (std::fgets(line, sizeof line, output) != nullptr) {
      std::istringstream words(line);
      std::string type;
      Sum sum;
      if (words >> type >> sum.count >> sum.weight) sums_[type] = sum;
    }
    ASSERT_EQ(pclose(output), 0);
  }

  std::map<std::string, Sum> sums_;
};

TEST_F(JfrRecordingTest, TheJdksOwnRecorderIsReadInFull) {
  ASSERT_NO_FATAL_FAILURE(Record("-XX:StartFlightRecording=settings=profile,filename=" + RecordingPath()));
  ExpectFieldsOfExample(Writer::kJdk);
  EXPECT_GT(ExpectAll(Event::kCpu, {"jdk.ExecutionSample", "jdk.CPUTimeSample"}), 0u);
  EXPECT_GT(ExpectAll(Event::kAlloc, {"jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB",
                                      "jdk.ObjectAllocationSample"}),
            0u);
  ExpectAll(Event::kLock, {"jdk.JavaMonitorEnter", "jdk.ThreadPark"});  // those longer than 20 ms
  EXPECT_EQ(recorder_.heap_summaries.size(), Of("jdk.GCHeapSummary").count);
  EXPECT_EQ(recorder_.settings.size(), Of("jdk.ActiveSetting").count);
  EXPECT_TRUE(HasStackWith(Event::kCpu, "Work.burn"));
  EXPECT_TRUE(HasStackWith(Event::kAlloc, "Work.allocate"));
}

TEST_F(JfrRecordingTest, ExceptionsWaitingAndInputAreThoseOfTheJdk) {
  std::string settings = "<?xml version=\"1.0\"?>\n<configuration version=\"2.0\">\n";
  for (const JfrEventName& event : kJfrEventNames) {
    settings += "<event name=\"" + std::string(event.type) +
                "\"><setting name=\"enabled\">true</setting><setting name=\"stackTrace\">true</setting>"
                "<setting name=\"threshold\">0 ns</setting></event>\n";
  }
  ASSERT_TRUE(WriteFile(RecordingPath() + ".jfc", settings + "</configuration>\n"));
  ASSERT_NO_FATAL_FAILURE(Record(
      "-XX:StartFlightRecording=settings=" + RecordingPath() + ".jfc,filename=" + RecordingPath(), "Waits.java"));
  for (const JfrEventName& event : kJfrEventNames) {
    Sum ours;
    bool has_function = false;
    for (const auto& [name, sample] : recorder_.others) {
      if (name != event.name) continue;
      ++ours.count;
      ours.weight += sample.weight;
      has_function |= recorder_.Stack(sample.stack).find("Waits.") != std::string::npos;
    }
    EXPECT_GT(ours.count, 0u) << event.type;
    EXPECT_EQ(ours.count, Of(std::string(event.type)).count) << event.type;
    EXPECT_EQ(ours.weight, Of(std::string(event.type)).weight) << event.type;
    EXPECT_EQ(ours.weight > 0, event.lasts) << event.type;
    EXPECT_TRUE(has_function) << event.type;
  }
}

TEST_F(JfrRecordingTest, AsyncProfilerIsReadInFull) {
  const char* library = std::getenv("SPARKPROF_ASYNC_PROFILER");
  if (library == nullptr) GTEST_SKIP() << "SPARKPROF_ASYNC_PROFILER does not name libasyncProfiler.so";
  ASSERT_NO_FATAL_FAILURE(Record("-agentpath:" + std::string(library) +
                                 "=start,jfr,event=ctimer,interval=5ms,wall=20ms,alloc=64k,live,lock=100us,"
                                 "nativemem=1k,trace=Work.contend,clock=monotonic,file=" +
                                 RecordingPath()));
  ExpectFieldsOfExample(Writer::kAsyncProfiler);
  EXPECT_GT(ExpectAll(Event::kCpu, {"jdk.ExecutionSample"}), 0u);
  EXPECT_GT(ExpectAll(Event::kWall, {"profiler.WallClockSample"}), 0u);
  EXPECT_GT(ExpectAll(Event::kAlloc, {"jdk.ObjectAllocationInNewTLAB", "jdk.ObjectAllocationOutsideTLAB"}), 0u);
  EXPECT_GT(ExpectAll(Event::kLive, {"profiler.LiveObject"}), 0u);
  EXPECT_GT(ExpectAll(Event::kLock, {"jdk.JavaMonitorEnter", "jdk.ThreadPark"}), 0u);
  EXPECT_GT(ExpectAll(Event::kMalloc, {"profiler.Malloc"}), 0u);
  EXPECT_GT(ExpectAll(Event::kFree, {"profiler.Free"}), 0u);
  EXPECT_GT(ExpectAll(Event::kMethod, {"jdk.MethodTrace"}), 0u);
  EXPECT_TRUE(HasStackWith(Event::kCpu, "Work.burn"));
  EXPECT_TRUE(HasStackWith(Event::kAlloc, "Work.allocate"));
  EXPECT_TRUE(HasStackWith(Event::kLock, "Work.contend"));
  for (const JfrSample& sample : recorder_.samples) EXPECT_GT(sample.tid, 0);
}

}  // namespace
}  // namespace sparkprof
