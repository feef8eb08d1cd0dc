// SPDX-License-Identifier: Apache-2.0
// CPU time besides the work: cpu-starved and warm-up.
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class CpuUseTest : public StageFindingTest {
 protected:
  CpuUseTest() : StageFindingTest(4) {}

  // A task that runs for `seconds`, with samples of `cpu_seconds` on a CPU.
  void AddSampledTask(int seconds, int cpu_seconds) {
    builder_.AddTask(1, stage_, executor_, 0, seconds, cpu_seconds);
    const StackId stack = builder_.AddStack({"com.example.Job.run"});
    builder_.AddSample(Event::kCpu, 3, worker_, 1, stack, cpu_seconds * kSecond);
    builder_.AddSample(Event::kWall, 3, worker_, 1, stack, seconds * kSecond).state = ThreadState::kRunning;
  }
};

TEST_F(CpuUseTest, TasksThatAreReadyForThreeTenthsOfTheirTimeStarve) {
  AddSampledTask(10, 7);
  const Finding finding = Found("cpu-starved");
  EXPECT_EQ(Weighed(finding),
            "low, saves 600 ms (0 ns to 2.8 s); wall of stage 3; 3.0 s of 10.0 s of wall-clock samples");
  EXPECT_EQ(finding.title, "Stage 3: tasks wait for a CPU for 30.0% of their time");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(0.6));
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Finds("cpu-starved"));
}

TEST_F(CpuUseTest, TasksThatWaitForTheCpusOfOthersAreANoteAboutTheRun) {
  AddSampledTask(10, 4);
  const double slots = static_cast<double>(executor().cores);
  const auto use = [&](double cores) {
    application().series.resize(1);
    ApplicationSeries& cpu = application().series.front();
    cpu = {"process.cpu_ns", executor_, -1, SeriesKind::kCounter, {}};
    cpu.points = {{application().start_ns, 0}, {application().start_ns + 10 * kSecond, 10.0 * kSecond * cores}};
  };
  use(0.79 * slots);
  EXPECT_TRUE(Found("cpu-starved").is_context);
  use(0.81 * slots);
  EXPECT_FALSE(Found("cpu-starved").is_context) << "it competes with itself";
  // More slots than CPUs are the job's own fault.
  use(0.5);
  application().series.push_back({"process.allowed_cpus", executor_, -1, SeriesKind::kGauge, {}});
  application().series.back().points = {{application().start_ns, 0.5}};
  EXPECT_FALSE(Found("cpu-starved").is_context);
}

TEST_F(CpuUseTest, NativeThreadsOfPythonWorkersThatUseTheCpusAreNamed) {
  AddSampledTask(10, 4);
  Process worker;
  worker.role = "python_worker";
  application().processes.push_back({worker, executor_});
  application().series.push_back({"process.cpu_ns", executor_, 0, SeriesKind::kCounter, {}});
  application().series.back().points = {{ApplicationBuilder::Time(0), 0}, {ApplicationBuilder::Time(9), 8e9}};
  application().series.push_back({"process.allowed_cpus", executor_, -1, SeriesKind::kGauge, {}});
  application().series.back().points = {{application().start_ns, 0.5}};
  const uint32_t python = builder_.AddThread(77, "Python 77", executor_);
  const StackId stack = builder_.AddStack({builder_.AddFrame("enrich", FrameKind::kPython, "/home/me/job.py", 9)});
  std::vector<Sample>& samples = application().profile.samples;
  for (const Event event : {Event::kCpu, Event::kWall}) {
    builder_.AddSample(event, 4, python, 1, stack, 4 * kSecond);
    application().python_samples.push_back(samples.back());
    samples.pop_back();
  }
  const Finding finding = Found("cpu-starved");
  EXPECT_EQ(finding.title,
            "Stage 3: tasks wait for a CPU for 60.0% of their time, which native threads of Python workers use");
  EXPECT_FALSE(finding.is_of_machine);
  application().python_samples[0].weight = 6 * kSecond;
  EXPECT_TRUE(Found("cpu-starved").is_of_machine) << "most of it is in threads of Python";
}

TEST_F(CpuUseTest, LoadingClassesForThreeTenthsOfTheCpuTimeIsWarmingUp) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 10);
  const StackId job = builder_.AddStack({"com.example.Job.run"});
  const StackId loading =
      builder_.AddStack({"com.example.Job.run", "java.lang.ClassLoader.loadClass", "com.example.Classes.read"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, job, 7 * kSecond);
  builder_.AddSample(Event::kCpu, 3, worker_, 1, loading, 3 * kSecond);
  const Finding finding = Found("warm-up");
  EXPECT_EQ(Weighed(finding),
            "low, saves no known time; cpu; CPU samples of compiler threads, and of stacks that load classes");
  EXPECT_EQ(finding.title, "The JVMs spend 30.0% of their CPU time on warming up");
  EXPECT_EQ(finding.severity, Severity::kLow);
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Finds("warm-up"));
}

TEST_F(CpuUseTest, TasksThatStarveForLessThanTwoSecondsDoNotStarve) {
  AddSampledTask(5, 3);
  EXPECT_TRUE(Finds("cpu-starved"));
  application().profile.samples[0].weight += 1;
  EXPECT_FALSE(Finds("cpu-starved"));
}

TEST_F(CpuUseTest, TasksThatWaitForTheCompilerOfTheirOwnJvmDoNotStarve) {
  AddSampledTask(10, 4);
  const uint32_t compiler = builder_.AddThread(9, "C2 CompilerThre", executor_);
  builder_.AddSample(Event::kCpu, 3, compiler, kNoTask, application().profile.samples[0].stack, 3 * kSecond);
  EXPECT_TRUE(Finds("cpu-starved")) << "for 6 s, of which the compiler explains 3 s";
  application().profile.samples.back().weight += 1;
  EXPECT_FALSE(Finds("cpu-starved"));
  application().profile.samples.back().time_ns += 10 * kSecond;
  EXPECT_TRUE(Finds("cpu-starved")) << "it computes after them";
}

TEST_F(CpuUseTest, StarvingWeighsAsMuchAsItCostsFromSixTenthsOfTheTimeOn) {
  AddSampledTask(50, 20);
  EXPECT_EQ(Found("cpu-starved").severity, Severity::kMedium);
  application().profile.samples[0].weight += 1;
  EXPECT_EQ(Found("cpu-starved").severity, Severity::kMedium);
}

TEST_F(CpuUseTest, WarmingUpMattersInApplicationsOfTwoMinutesFromHalfASecondOn) {
  builder_.AddTask(1, stage_, executor_, 0, 10, 10);
  const StackId loading = builder_.AddStack({"com.example.Job.run", "java.lang.Class.forName0"});
  builder_.AddSample(Event::kCpu, 3, worker_, 1, loading, kSecond / 2);
  application().end_ns = ApplicationBuilder::Time(120);
  EXPECT_TRUE(Finds("warm-up"));
  application().end_ns += 1;
  EXPECT_FALSE(Finds("warm-up"));
  application().end_ns -= 1;
  application().profile.samples[0].weight -= 1;
  EXPECT_FALSE(Finds("warm-up"));
}

}  // namespace
}  // namespace sparkprof
