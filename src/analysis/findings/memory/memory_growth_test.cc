// SPDX-License-Identifier: Apache-2.0
// Growing Python processes: large-result in the driver's program, worker-growth.
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;
constexpr double kMebibyte = 1 << 20;

class MemoryGrowthTest : public StageFindingTest {
 protected:
  // Returns the row.
  int32_t AddProcess(int64_t pid, const char* role) {
    application().processes.push_back({{.pid = pid, .start_ticks = pid, .role = role}, executor_});
    return static_cast<int32_t>(application().processes.size()) - 1;
  }

  void AddSeries(const char* name, int32_t process, std::vector<std::pair<double, double>> mebibytes) {
    ApplicationSeries series{name, executor_, process, SeriesKind::kGauge, {}};
    for (const auto& [second, value] : mebibytes) {
      series.points.push_back({ApplicationBuilder::Time(second), value * kMebibyte});
    }
    application().series.push_back(std::move(series));
  }

  void AddSample(int64_t pid, int64_t second, std::initializer_list<FrameId> root_first, int64_t cpu_ns) {
    const uint32_t thread = builder_.AddThread(pid, "Python", executor_);
    application().profile.threads[thread].process = pid;
    builder_.AddSample(Event::kCpu, second, thread, kNoTask, builder_.AddStack(root_first), cpu_ns);
    application().python_samples.push_back(application().profile.samples.back());
    application().profile.samples.pop_back();
  }
};

TEST_F(MemoryGrowthTest, AFetchOfTheDriverNamesProcessTimeGapCallAndSize) {
  AddJobBetween(0, 1, 20);
  AddJobBetween(1, 60, 90);
  const int32_t program = AddProcess(77, "python_driver");
  AddSeries("process.rss_bytes", program, {{1, 100}, {30, 100}, {32, 150}});
  AddSeries("process.rss_peak_bytes", program, {{1, 100}, {30, 100}, {31, 220}, {32, 300}, {90, 300}});
  AddSeries("process.received_bytes", program, {{1, 1}, {29, 1}, {30, 50}, {32, 65}, {90, 66}});
  AddSample(77, 31,
            {Python("main", "/home/me/job.py", 30), Python("load", "/home/me/job.py", 12),
             Python("__call__", "/opt/spark/python/lib/py4j-0.10.9.9-src.zip/py4j/java_gateway.py", 1362),
             Python("send_command", "/opt/spark/python/lib/py4j-0.10.9.9-src.zip/py4j/clientserver.py", 9)},
            kSecond);
  const Finding finding = Found("large-result");
  EXPECT_EQ(
      Weighed(finding),
      "low, saves 1.6 s (800 ms to 2.5 s); cpu of driver; 1.0 s of CPU time to receive and decode the data, most of it "
      "in load (job.py:12), through __call__ (java_gateway.py:1362), send_command (clientserver.py:9); no job runs "
      "then: it is in a gap of 40.0 s after job 0 (collect at job.py:7) and before job 1 (collect at job.py:7)");
  EXPECT_EQ(finding.title, "The driver program fetches 64.0 MiB: its memory grows by 200 MiB");
  EXPECT_EQ(finding.what,
            "The Python program of the driver (process 77) grew by 200 MiB between 30.0 s and 32.0 s, while it "
            "received 64.0 MiB from its JVM");
  EXPECT_EQ(
      finding.evidence,
      "1.0 s of CPU time to receive and decode the data, most of it in load (job.py:12), through __call__ "
      "(java_gateway.py:1362), send_command (clientserver.py:9); no job runs then: it is in a gap of 40.0 s after "
      "job 0 (collect at job.py:7) and before job 1 (collect at job.py:7)");
  EXPECT_EQ(finding.selection.from_ns, 30 * kSecond);
  EXPECT_EQ(finding.selection.to_ns, 32 * kSecond);
  // The data must be at least a twentieth of the growth to have caused it.
  application().series.back().points = {{ApplicationBuilder::Time(1), 1.0 * kMebibyte},
                                        {ApplicationBuilder::Time(31), 9.9 * kMebibyte}};
  EXPECT_FALSE(Finds("large-result"));
}

TEST_F(MemoryGrowthTest, ADriverThatGrowsByLessOrWithoutPy4jIsNotAFetch) {
  const int32_t program = AddProcess(77, "python_driver");
  AddSeries("process.rss_bytes", program, {{1, 100}, {2, 227}});
  const FrameId load = Python("load", "/home/me/job.py", 12);
  AddSample(77, 1, {load, Python("__call__", "/opt/spark/python/lib/py4j-0.10.9.9-src.zip/py4j/java_gateway.py", 1362)},
            kSecond);
  EXPECT_FALSE(Finds("large-result"));
  application().series.clear();
  application().python_samples.clear();
  AddSeries("process.rss_bytes", program, {{1, 100}, {2, 300}});
  AddSample(77, 1, {load}, kSecond);
  EXPECT_FALSE(Finds("large-result"));
}

TEST_F(MemoryGrowthTest, AWorkerThatGrowsNamesTheLinesThatRanMeanwhile) {
  const int32_t worker = AddProcess(4711, "python_worker");
  AddSeries("process.rss_bytes", worker, {{10, 50}, {11, 150}, {12, 150}, {13, 306}, {14, 60}});
  application().python_tasks = {
      {.task = 1, .pid = 4711, .start_ticks = 4711, .begin_ns = ApplicationBuilder::Time(10)},
      {.task = 2, .pid = 4711, .start_ticks = 4711, .begin_ns = ApplicationBuilder::Time(12.5)},
      {.task = 3, .pid = 4711, .start_ticks = 4711, .begin_ns = ApplicationBuilder::Time(13.5)}};
  const FrameId main = Python("main", "/opt/pyspark/worker.py", 1);
  AddSample(4711, 10, {main, Python("remember", "/home/me/job.py", 5)}, kSecond);
  AddSample(4711, 12, {main, Python("remember", "/home/me/job.py", 5)}, kSecond);
  const Finding finding = Found("worker-growth");
  EXPECT_EQ(Weighed(finding),
            "medium, saves no known time; cpu; while its memory grew, it ran remember (job.py:5) (about 256 MiB)");
  EXPECT_EQ(finding.title, "1 Python worker grows by up to 256 MiB");
  EXPECT_EQ(finding.what, "The Python worker 4711 grew from 50.0 MiB to 306 MiB over 2 tasks, 128 MiB per task");
  EXPECT_EQ(finding.evidence, "while its memory grew, it ran remember (job.py:5) (about 256 MiB)");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"remember (job.py:5)"});
  application().series.back().points[3].value -= 1;
  EXPECT_FALSE(Finds("worker-growth"));
}

}  // namespace
}  // namespace sparkprof
