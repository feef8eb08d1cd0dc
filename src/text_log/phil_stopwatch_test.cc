// SPDX-License-Identifier: Apache-2.0
// The driver logs of phil_stopwatch's jobs against what its own parsers computed on them (times in epoch ms, whole
// seconds). The logs are not part of the repository: without them these tests are skipped. Where the original has a
// defect (output glued to a warning, milliseconds thrown away) ours must be right instead; docs/other-tools.md lists
// them.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <ostream>
#include <string>
#include <vector>

#include "base/io/byte_source.h"
#include "base/io/compression.h"
#include "base/testing/source_file.h"
#include "base/time.h"
#include "text_log/error_collector.h"
#include "text_log/text_log_reader.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

struct Expected {
  const char* name;
  const char* path;
  const char* application;
  int64_t job_begin_ms, job_end_ms;
  std::vector<int64_t> task_begin_ms, task_end_ms;
  std::vector<const char*> errors;  // begins of their messages, newest first; of the same second in any order
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.name; }

const Expected kLogs[] = {
    {"JobStraggler",
     "ProfileStraggler/JobStraggler.log.gz",
     "Profile Straggler",
     1550400760000,
     1550401831000,
     {1550400760000, 1550400760000, 1550400760000},
     {1550401831000, 1550400883000, 1550400897000},
     {"Unable to load native-hadoop"}},
    {"JobSlacker",
     "profile_slacker/JobSlacker.log.gz",
     "Profiling Slacker",
     1550139011000,
     1550139612000,
     {1550139011000, 1550139011000, 1550139011000},
     {1550139612000, 1550139612000, 1550139612000},
     {"Failed to find a usable hardware address", "Unable to load native-hadoop", "Set SPARK_LOCAL_IP",
      "Your hostname"}},
    {"StragglerPySpark",
     "profile_straggler/Straggler_PySpark.log.gz",
     "Profiling Straggler",
     1550154348000,
     1550154915000,
     {1550154348000, 1550154348000, 1550154348000},
     {1550154915000, 1550154384000, 1550154388000},
     {"Failed to find a usable hardware address", "Unable to load native-hadoop", "Set SPARK_LOCAL_IP",
      "Your hostname"}},
};

class PhilStopwatchTest : public testing::TestWithParam<Expected> {
 protected:
  void SetUp() override {
    const char* const shared = std::getenv("SPARKPROF_SHARED_DATA");
    const fs::path data = shared != nullptr ? fs::path(shared) : fs::path(SourceFile("../shared/data"));
    const std::string path = (data / "phil_stopwatch" / GetParam().path).string();
    if (!fs::exists(path)) GTEST_SKIP() << "no shared data: " << path << " (set SPARKPROF_SHARED_DATA)";
    auto file = OpenFileSource(path);
    ASSERT_TRUE(file.has_value());
    const std::unique_ptr<ByteSource> source = Decompress(std::move(*file), path);
    Result<std::string> text = ReadAll(source.get(), 64 << 20, path);
    ASSERT_TRUE(text.has_value());
    text_ = std::move(*text);
  }

  std::string text_;
};

// Within the clock's second: ours are narrowed by the milliseconds in Spark's durations.
void ExpectWithinASecond(int64_t time_ns, int64_t expected_ms) {
  EXPECT_GE(time_ns, expected_ms * kNanosPerMilli);
  EXPECT_LT(time_ns, (expected_ms + 1000) * kNanosPerMilli);
}

TEST_P(PhilStopwatchTest, IntervalsAgreeWithTheOriginals) {
  const Expected& expected = GetParam();
  Application application;
  TextLogReader reader(&application);
  reader.BeginFile(expected.path);
  reader.AddLines(text_);
  reader.EndFile();
  reader.Finish();
  EXPECT_TRUE(reader.IsDriver());
  EXPECT_EQ(application.name, expected.application);
  EXPECT_EQ(application.spark_version, "2.4.0");
  ASSERT_EQ(application.jobs.size(), 1u);
  // The original's job is the envelope of its tasks.
  ExpectWithinASecond(application.jobs[0].submit_ns, expected.job_begin_ms);
  ExpectWithinASecond(application.jobs[0].end_ns, expected.job_end_ms);
  const Tasks& tasks = application.tasks;
  ASSERT_EQ(tasks.Size(), expected.task_begin_ms.size());
  for (size_t row = 0; row < tasks.Size(); ++row) {
    const auto index = static_cast<size_t>(tasks.index[row]);
    ExpectWithinASecond(tasks.launch_ns[row], expected.task_begin_ms[index]);
    ExpectWithinASecond(tasks.finish_ns[row], expected.task_end_ms[index]);
    EXPECT_EQ(tasks.outcome[row], TaskOutcome::kSucceeded);
  }
}

TEST_P(PhilStopwatchTest, ErrorsAreTheOriginalsWithoutTheOutputBehindThem) {
  struct Handler : LogRecordHandler {
    void OnRecord(const LogRecord& record) override { errors.Add(record); }
    ErrorCollector errors;
  } handler;
  LogReader reader(&handler);
  reader.AddLines(text_);
  reader.Finish();
  const std::vector<LogError> errors = handler.errors.Errors();
  ASSERT_EQ(errors.size(), GetParam().errors.size());
  for (const char* const begin : GetParam().errors) {
    bool found = false;
    for (const LogError& error : errors) {
      if (!error.message.starts_with(begin)) continue;
      found = true;
      EXPECT_EQ(error.count, 1);
      EXPECT_EQ(error.stack, "");
    }
    EXPECT_TRUE(found) << begin;
  }
}

INSTANTIATE_TEST_SUITE_P(Logs, PhilStopwatchTest, testing::ValuesIn(kLogs),
                         [](const auto& log) { return std::string(log.param.name); });

}  // namespace
}  // namespace sparkprof
