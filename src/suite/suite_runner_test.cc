// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_runner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "base/time.h"

namespace sparkprof {
namespace {

namespace fs = std::filesystem;

// Runs jobs of the shell in a folder of their own.
class SuiteRunnerTest : public FolderTest {
 protected:
  SuiteRunnerTest() {
    options_.output = folder_;
    options_.suite_folder = "/suites";
    options_.mark = [this](std::string_view type, const std::string& message) {
      marks_.push_back(std::string(type) + ": " + message.substr(0, message.find(" after ")));
    };
    options_.finished = [this](const RepeatResult& repeat) { finished_.push_back(repeat.folder); };
    suite_.name = "nightly";
    suite_.version = "1.4";
    suite_.interval_ns = 20 * kNanosPerMilli;
  }

  SuiteJob& AddJob(const std::string& name, const std::string& script) {
    SuiteJob& job = suite_.jobs.emplace_back();
    job.name = name;
    job.command = {"sh", "-c", script};
    job.repeats = 1;
    return job;
  }

  SuiteResults Run() {
    SuiteResults results;
    const Result<void> ran = RunSuite(suite_, options_, &signals_, &results);
    EXPECT_TRUE(ran) << ran.error().message;
    return results;
  }

  std::string OutputOf(const std::string& run) const { return ReadFile(Path(run + "/output.log")).value_or("none"); }

  Suite suite_;
  SuiteRunOptions options_;
  WaitedSignals signals_;
  std::vector<std::string> marks_, finished_;
};

TEST_F(SuiteRunnerTest, EachSizeAndRepeatIsARunWithAFolder) {
  SuiteJob& job = AddJob("sort", "echo {size} {suite} $NAME");
  job.sizes = {100000, 1.5};
  job.repeats = 2;
  job.environment = {{"NAME", "job"}};
  const SuiteResults results = Run();
  EXPECT_EQ(results.suite, "nightly");
  EXPECT_EQ(results.version, "1.4");
  EXPECT_EQ(results.status, "passed");
  EXPECT_LE(results.start_ns, results.end_ns);
  ASSERT_EQ(results.jobs.size(), 2u);
  EXPECT_EQ(results.jobs[1].size, 1.5);
  ASSERT_EQ(results.jobs[0].repeats.size(), 2u);
  EXPECT_EQ(results.jobs[0].repeats[1].repeat, 2);
  EXPECT_EQ(finished_, (std::vector<std::string>{"sort-100000/1", "sort-100000/2", "sort-1.5/1", "sort-1.5/2"}));
  EXPECT_EQ(OutputOf("sort-100000/2"), "100000 /suites job\n");
}

TEST_F(SuiteRunnerTest, RunsThatWarmUpAreNotAmongTheResults) {
  AddJob("sort", "true").warm_up = 2;
  const SuiteResults results = Run();
  EXPECT_EQ(finished_, (std::vector<std::string>{"sort/warm-up-1", "sort/warm-up-2", "sort/1"}));
  EXPECT_EQ(results.jobs.at(0).repeats.size(), 1u);
  EXPECT_EQ(marks_.at(0), "start: sort, warm-up");
}

TEST_F(SuiteRunnerTest, AJobThatFailsDoesNotKeepTheOthersFromRunning) {
  AddJob("bad", "exit 3");
  AddJob("missing", "").command = {"/no/such/program"};
  AddJob("good", "echo done");
  const SuiteResults results = Run();
  EXPECT_EQ(results.status, "failed");
  EXPECT_EQ(results.jobs.at(0).repeats.at(0).exit_code, 3);
  EXPECT_EQ(results.jobs.at(1).repeats.at(0).exit_code, 127);
  EXPECT_EQ(results.jobs.at(2).repeats.at(0).exit_code, 0);
  EXPECT_EQ(OutputOf("good/1"), "done\n");
  EXPECT_EQ(marks_.at(1), "error: bad, repeat 1: exit code 3");
}

TEST_F(SuiteRunnerTest, AJobBeyondItsTimeIsMarked) {
  AddJob("slow", "exec sleep 600").timeout_ns = 300 * kNanosPerMilli;
  const SuiteResults results = Run();
  EXPECT_TRUE(results.jobs.at(0).repeats.at(0).timed_out);
  EXPECT_EQ(marks_.at(1), "error: slow, repeat 1: timed out");
}

TEST_F(SuiteRunnerTest, AProfiledJobRunsUnderTheProfiler) {
  options_.profiler = {"echo", "profiler"};
  AddJob("sort", "true").profile = true;
  Run();
  EXPECT_EQ(OutputOf("sort/1"), "profiler --output-dir " + Path("sort/1/profile") + " -- sh -c true\n");
}

TEST_F(SuiteRunnerTest, MonitorsRunBesideTheJobsAndEndWithThem) {
  const std::string pid_file = Path("pid");
  suite_.monitors = {{"sh", "-c", "echo $$ > " + pid_file + "; exec sleep 600"}};
  AddJob("waits", "until [ -s " + pid_file + " ]; do :; done");
  EXPECT_EQ(Run().status, "passed");
  const std::string pid = ReadFile(pid_file).value();
  EXPECT_FALSE(fs::exists("/proc/" + pid.substr(0, pid.find('\n'))));
}

TEST_F(SuiteRunnerTest, AMonitorThatEndsBeforeTheSuiteIsAnError) {
  const std::string pid_file = Path("pid");
  suite_.monitors = {{"sh", "-c", "echo $$ > " + pid_file + "; exit 4"}};
  // It is a zombie until the suite ends.
  AddJob("waits", "until [ -s " + pid_file + " ] && grep -q ') Z' /proc/$(cat " + pid_file + ")/stat; do :; done");
  Run();
  EXPECT_EQ(marks_.back(), "error: monitor sh ended before the suite with exit code 4; see " + Path("monitor-1.log"));
}

TEST_F(SuiteRunnerTest, AFolderThatCannotBeMadeEndsTheSuite) {
  ASSERT_TRUE(WriteFile(Path("sort"), "a file"));
  AddJob("sort", "true");
  SuiteResults results;
  EXPECT_FALSE(RunSuite(suite_, options_, &signals_, &results));
  EXPECT_EQ(results.status, "failed");
}

}  // namespace
}  // namespace sparkprof
