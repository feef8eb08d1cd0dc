// SPDX-License-Identifier: Apache-2.0
// Real event logs of Spark 1.5 to 4.1 against counts that an independent reading of the same files gave. The logs are
// not part of the repository: without them these tests are skipped.
#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/testing/source_file.h"
#include "base/time.h"
#include "event_log/event_reader.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

struct Expected {
  const char* name;
  std::vector<const char*> files;  // parts of one log, in order
  const char* application;
  const char* version;
  int64_t jobs, failed_jobs, running_jobs;
  int64_t stages, failed_stages, skipped_stages;
  int64_t tasks, failed_tasks, killed_tasks, running_tasks;
  int64_t executors, sql_executions;
  int64_t run_ms, cpu_ns, shuffle_read_bytes, shuffle_write_bytes, input_bytes, duration_ms, scheduler_delay_ms;
  int64_t peak_bytes;
  int64_t unknown, damaged;
};

void PrintTo(const Expected& expected, std::ostream* out) { *out << expected.name; }

// clang-format off
const Expected kLogs[] = {
    {"Spark1_5", {"spark1.5-sparklint-example"}, "application_1462781278026_205691", "1.5.2",
     3, 0, 0, 3, 0, 0, 204, 0, 0, 0, 4, 0, 494683, 0, 0, 0, 33788458278, 503354, 1525, 0, 0, 0},
    {"Spark2_3", {"spark2.3-local-1532512550423"}, "local-1532512550423", "2.3.0",
     2, 0, 0, 2, 0, 0, 8, 0, 0, 0, 1, 0, 91, 51773000, 0, 0, 0, 1034, 126, 0, 0, 0},
    {"Spark2_4", {"spark2.4-delight-example"}, "spark-195580588c0f4597ade9c93018b4e67f", "3.0.0-preview",
     1, 0, 0, 2, 0, 0, 200, 0, 0, 0, 4, 0, 183632, 25104172655, 23249630, 23249630, 90656036, 195660, 2800, 0, 1, 0},
    {"Malformed", {"spark3-malformed-json.zstd"}, "application_1603128018386_7759", "3.1.1",
     2, 0, 0, 5, 0, 0, 217, 0, 0, 0, 10, 1, 28808, 19842016313, 100623870, 100623870, 0, 37823, 1894, 27682406400, 1, 1},
    {"PandasUdf", {"spark3-pandas-execs.zstd"}, "local-1652317513972", "3.1.1",
     5, 0, 0, 8, 0, 0, 640, 0, 0, 0, 1, 5, 123946, 9518746324, 158534, 158534, 0, 142402, 8025, 1203240960, 0, 0},
    {"Emr", {"spark3-platform-emr"}, "local-1622043423017", "3.1.1",
     2, 0, 1, 5, 0, 0, 24, 0, 0, 3, 3, 2, 8648, 5430127402, 0, 76202878, 0, 14353, 510, 0, 0, 0},
    {"PythonUdf", {"spark3-python-udf"}, "local-1774375206936", "3.5.5",
     2, 0, 0, 2, 0, 0, 2, 0, 0, 0, 1, 1, 535, 121915284, 0, 0, 2054, 605, 24, 0, 0, 0},
    {"FailedTasksAndExecutors", {"spark3-tasks-executors-fail.zstd"}, "application_1603128018386_7846", "3.1.1",
     80, 1, 0, 230, 1, 95, 8580, 3, 0, 0, 9, 28, 28326, 28959886111, 43528, 44506, 0, 73179, 30177, 47879946240, 2, 0},
    {"Truncated", {"spark3-truncated"}, "local-1622043423018", "3.1.1",
     2, 0, 1, 5, 0, 0, 24, 0, 0, 3, 1, 2, 8648, 5430127402, 0, 76202878, 0, 14353, 510, 0, 0, 0},
    {"Dataproc3_5", {"spark3.5-nds-q72-dataproc.zstd"}, "application_1751493828576_0001", "3.5.3",
     49, 0, 0, 62, 0, 13, 13504, 0, 0, 0, 9, 25, 8103020, 5836670357887, 20593218111, 20593218111, 18367893385, 8597285,
     114828, 166094623896, 1, 0},
    {"Spark4_1", {"spark4-local-1776286786993.zstd"}, "local-1776286786993", "4.1.0",
     23, 1, 0, 47, 1, 24, 52, 11, 1, 0, 1, 10, 12302, 7095360078, 68147078, 68135778, 27637960, 13185, 341, 62389648, 0, 0},
    {"Rolling3_1", {"eventlog_v2_local-1623876083964/events_1_local-1623876083964.zstd",
                    "eventlog_v2_local-1623876083964/events_2_local-1623876083964.zstd"}, "local-1623876083964", "3.1.1",
     1, 0, 0, 4, 0, 0, 2801, 0, 0, 0, 1, 1, 1401278, 1278607618550, 10078016818, 10078016818, 0, 1417661, 9018, 161061273600, 0, 0},
    {"Rolling3_5", {"eventlog_v2_spark-cc4d115f/events_1_spark-cc4d115f011443d787f03a71a476a745"},
     "spark-cc4d115f011443d787f03a71a476a745", "3.5.3",
     6, 0, 0, 8, 0, 2, 73, 0, 0, 0, 5, 3, 1074508, 986418519053, 10758167888, 10758167888, 3892162000, 1077288, 740, 0, 0, 0},
    {"DatabricksActiveFile", {"databricks/eventlog"}, "", "",
     1, 0, 0, 2, 0, 0, 129, 0, 0, 0, 1, 1, 465831, 444378035718, 6449870739, 7552, 0, 467032, 297, 103079215104, 0, 0},
};
// clang-format on

fs::path LogFolder() {
  const char* const shared = std::getenv("SPARKPROF_SHARED_DATA");
  const fs::path data = shared != nullptr ? fs::path(shared) : fs::path(SourceFile("../shared/data"));
  return data / "eventlogs";
}

std::string Decompress(const std::string& compressed) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::string text;
  std::string buffer(ZSTD_DStreamOutSize(), '\0');
  ZSTD_inBuffer input = {compressed.data(), compressed.size(), 0};
  while (input.pos < input.size) {
    ZSTD_outBuffer output = {buffer.data(), buffer.size(), 0};
    if (ZSTD_isError(ZSTD_decompressStream(context.get(), &output, &input))) break;
    text.append(buffer, 0, output.pos);
  }
  return text;
}

class EventLogTest : public testing::TestWithParam<Expected> {};

template <typename Rows, typename Status>
int64_t Count(const Rows& rows, Status status) {
  return std::count_if(rows.begin(), rows.end(), [&](const auto& row) { return row.status == status; });
}

int64_t Sum(const Application& application, TaskMetric metric) {
  const MetricColumn& column = application.tasks.Column(metric);
  return std::accumulate(column.begin(), column.end(), int64_t{0});
}

TEST_P(EventLogTest, AgreesWithAnIndependentReading) {
  const Expected& expected = GetParam();
  Application application;
  EventReader reader(&application);
  for (const char* file : expected.files) {
    const fs::path path = LogFolder() / file;
    if (!fs::exists(path)) GTEST_SKIP() << "no shared data: " << path << " (set SPARKPROF_SHARED_DATA)";
    Result<std::string> content = ReadFile(path.string());
    ASSERT_TRUE(content.has_value()) << content.error().message;
    reader.AddLines(path.extension() == ".zstd" ? Decompress(*content) : *content);
  }
  reader.Finish();

  EXPECT_EQ(application.id, expected.application);
  EXPECT_EQ(application.spark_version, expected.version);
  EXPECT_EQ(static_cast<int64_t>(application.jobs.size()), expected.jobs);
  EXPECT_EQ(Count(application.jobs, RunStatus::kFailed), expected.failed_jobs);
  EXPECT_EQ(Count(application.jobs, RunStatus::kRunning), expected.running_jobs);
  EXPECT_EQ(static_cast<int64_t>(application.stages.size()), expected.stages);
  EXPECT_EQ(Count(application.stages, RunStatus::kFailed), expected.failed_stages);
  EXPECT_EQ(Count(application.stages, RunStatus::kSkipped), expected.skipped_stages);
  const std::vector<TaskOutcome>& outcome = application.tasks.outcome;
  EXPECT_EQ(static_cast<int64_t>(application.tasks.Size()), expected.tasks);
  EXPECT_EQ(std::count(outcome.begin(), outcome.end(), TaskOutcome::kFailed), expected.failed_tasks);
  EXPECT_EQ(std::count(outcome.begin(), outcome.end(), TaskOutcome::kKilled), expected.killed_tasks);
  EXPECT_EQ(std::count(outcome.begin(), outcome.end(), TaskOutcome::kRunning), expected.running_tasks);
  EXPECT_EQ(static_cast<int64_t>(application.executors.size()), expected.executors);
  EXPECT_EQ(static_cast<int64_t>(application.sql_executions.size()), expected.sql_executions);
  EXPECT_EQ(Sum(application, TaskMetric::kExecutorRunTime), expected.run_ms * kNanosPerMilli);
  EXPECT_EQ(Sum(application, TaskMetric::kExecutorCpuTime), expected.cpu_ns);
  EXPECT_EQ(Sum(application, TaskMetric::kShuffleReadBytes), expected.shuffle_read_bytes);
  EXPECT_EQ(Sum(application, TaskMetric::kShuffleWriteBytes), expected.shuffle_write_bytes);
  EXPECT_EQ(Sum(application, TaskMetric::kInputBytes), expected.input_bytes);
  EXPECT_EQ(Sum(application, TaskMetric::kDuration), expected.duration_ms * kNanosPerMilli);
  EXPECT_EQ(Sum(application, TaskMetric::kSchedulerDelay), expected.scheduler_delay_ms * kNanosPerMilli);
  EXPECT_EQ(Sum(application, TaskMetric::kPeakExecutionMemory), expected.peak_bytes);
  EXPECT_EQ(application.unknown_events, expected.unknown);
  EXPECT_EQ(application.damaged_events, expected.damaged);
}

INSTANTIATE_TEST_SUITE_P(Shared, EventLogTest, testing::ValuesIn(kLogs),
                         [](const testing::TestParamInfo<Expected>& log) { return std::string(log.param.name); });

}  // namespace
}  // namespace sparkprof
