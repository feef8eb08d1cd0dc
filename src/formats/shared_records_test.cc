// SPDX-License-Identifier: Apache-2.0
// Real records against what an independent reading of the same files counts. The files are not part of the repository:
// without them these tests are skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>

#include "base/io/compression.h"
#include "base/io/file.h"
#include "base/io/line_reader.h"
#include "base/testing/source_file.h"
#include "formats/records/testing/example_records.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

fs::path SharedFile(const std::string& name) {
  const char* const shared = std::getenv("SPARKPROF_SHARED_DATA");
  return (shared != nullptr ? fs::path(shared) : fs::path(SourceFile("../shared/data"))) / name;
}

std::unique_ptr<ByteSource> Open(const fs::path& path) {
  Result<std::unique_ptr<ByteSource>> source = OpenFileSource(path.string());
  EXPECT_TRUE(source.has_value()) << source.error().message;
  return Decompress(std::move(*source), path.string());
}

struct Expected {
  const char* file;
  RecordKind kind;
  int64_t records;  // number of this kind, without other kinds
  RecordKind other_kind = RecordKind::kBabarTrace;
  int64_t other_records = 0;
  int64_t samples = 0;  // sum of all stacks
  size_t processes = 1;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.file; }

// clang-format off
const Expected kFiles[] = {
    {"phil_stopwatch/ProfileStraggler/CpuAndMemory.json.gz", RecordKind::kCpuAndMemory, 10758},
    {"phil_stopwatch/ProfileStraggler/Stacktrace.json.gz", RecordKind::kStacktrace, 47473},
    {"phil_stopwatch/profile_straggler/CpuAndMemory.json.gz", RecordKind::kCpuAndMemory, 5700},
    {"phil_stopwatch/profile_straggler/Stacktrace.json.gz", RecordKind::kStacktrace, 28519},
    {"phil_stopwatch/profile_straggler/ProcessInfo.json.gz", RecordKind::kProcessInfo, 1},
    {"phil_stopwatch/profile_straggler/s_1_1401_cpumem.json.gz", RecordKind::kPySparkCpuMemory, 153},
    {"phil_stopwatch/profile_straggler/s_1_1403_cpumem.json.gz", RecordKind::kPySparkCpuMemory, 1186},
    {"phil_stopwatch/profile_straggler/s_1_stack.json.gz", RecordKind::kPySparkStack, 4, RecordKind::kBabarTrace, 0, 1475},
    {"phil_stopwatch/profile_slacker/CombinedCpuAndMemory.json.gz", RecordKind::kPySparkCpuMemory, 8405, RecordKind::kCpuAndMemory, 6074, 0, 4},
    {"phil_stopwatch/profile_slacker/Stacktrace.json.gz", RecordKind::kStacktrace, 30310, RecordKind::kBabarTrace, 0, 33924},
    {"phil_stopwatch/profile_slacker/CombinedStack.json.gz", RecordKind::kStacktrace, 30310, RecordKind::kPySparkStack, 2, 42329, 2},
    {"uber-jvm-profiler/CpuAndMemory.json", RecordKind::kCpuAndMemory, 16},
    {"uber-jvm-profiler/CpuAndMemory.Z.json", RecordKind::kCpuAndMemory, 3},
    {"uber-jvm-profiler/CpuAndMemory.Shenandoah.json", RecordKind::kCpuAndMemory, 5},
    {"uber-jvm-profiler/IO.json", RecordKind::kIo, 16},
    {"uber-jvm-profiler/MethodArgument.json", RecordKind::kMethodArgument, 7},
    {"uber-jvm-profiler/MethodDuration.json", RecordKind::kMethodDuration, 28},
    {"uber-jvm-profiler/ProcessInfo.json", RecordKind::kProcessInfo, 1},
    {"uber-jvm-profiler/ThreadInfo.json", RecordKind::kThreadInfo, 16},
    {"babar/babar_idle200_jdk17.log", RecordKind::kBabarMetric, 288, RecordKind::kBabarTrace, 17},
};
// clang-format on

class SharedRecordsTest : public testing::TestWithParam<Expected> {};

TEST_P(SharedRecordsTest, AgreesWithAnIndependentReading) {
  const Expected& expected = GetParam();
  const fs::path path = SharedFile(expected.file);
  if (!fs::exists(path)) GTEST_SKIP() << "no shared data: " << path << " (set SPARKPROF_SHARED_DATA)";
  ProfilerRecords records;
  RecordReader reader(&records);
  LineReader lines(Open(path));
  for (std::string_view block = lines.Next(); !block.empty(); block = lines.Next()) reader.AddLines(block);
  EXPECT_FALSE(lines.SourceError().has_value());
  reader.Finish();
  EXPECT_EQ(records.Count(expected.kind), expected.records);
  EXPECT_EQ(records.Count(expected.other_kind), expected.other_records);
  EXPECT_EQ(records.RecordCount(), expected.records + expected.other_records);
  EXPECT_EQ(records.damaged_lines, 0);
  EXPECT_EQ(records.processes.size(), expected.processes);
  int64_t samples = 0;
  for (const RecordStack& row : records.stack_counts) samples += row.count;
  if (expected.samples > 0) {
    EXPECT_EQ(samples, expected.samples);
  }
}

// The seeds of the fuzzer, one record of a kind each, many times over: what is counted on a machine without shared
// data.
struct Made {
  const char* seed;
  RecordKind kind;
};

void PrintTo(const Made& made, std::ostream* out) { *out << made.seed; }

class MadeRecordsTest : public testing::TestWithParam<Made> {};

TEST_P(MadeRecordsTest, EveryRecordIsCountedOnce) {
  constexpr int64_t kTimes = 1000;
  const Result<std::string> seed = ReadFile(SourceFile(std::string("fuzz/seeds/record/") + GetParam().seed));
  ASSERT_TRUE(seed.has_value()) << seed.error().message;
  ProfilerRecords records;
  RecordReader reader(&records);
  for (int64_t i = 0; i < kTimes; ++i) reader.AddLines(*seed + (seed->ends_with('\n') ? "" : "\n"));
  reader.Finish();
  EXPECT_EQ(records.Count(GetParam().kind), kTimes);
  EXPECT_EQ(records.RecordCount(), kTimes);
  EXPECT_EQ(records.damaged_lines, 0);
  EXPECT_EQ(records.processes.size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(
    Made, MadeRecordsTest,
    testing::Values(
        Made{"cpu_and_memory.json", RecordKind::kCpuAndMemory}, Made{"stacktrace.json", RecordKind::kStacktrace},
        Made{"process_info.json", RecordKind::kProcessInfo}, Made{"io.json", RecordKind::kIo},
        Made{"thread_info.json", RecordKind::kThreadInfo}, Made{"method_argument.json", RecordKind::kMethodArgument},
        Made{"method_duration.json", RecordKind::kMethodDuration},
        Made{"pyspark_cpu_memory.json", RecordKind::kPySparkCpuMemory},
        Made{"pyspark_stack.json", RecordKind::kPySparkStack}, Made{"babar_metric.log", RecordKind::kBabarMetric},
        Made{"babar_trace.log", RecordKind::kBabarTrace}),
    [](const auto& made) {
      return std::string(std::string_view(made.param.seed).substr(0, std::string_view(made.param.seed).find('.')));
    });

INSTANTIATE_TEST_SUITE_P(Shared, SharedRecordsTest, testing::ValuesIn(kFiles), [](const auto& file) {
  std::string name(file.param.file);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  }
  return name;
});

}  // namespace
}  // namespace sparkprof
