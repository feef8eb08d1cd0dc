// SPDX-License-Identifier: Apache-2.0
#include "suite/job_run.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <string>

#include "base/io/file.h"
#include "base/testing/folder_test.h"
#include "base/time.h"

namespace sparkprof {
namespace {

class JobRunTest : public FolderTest {
 protected:
  Result<RepeatResult> Run(const std::string& script, int64_t timeout_ns = 600 * kNanosPerSecond) {
    return RunMeasured({{"sh", "-c", script}, {{"GREETING", "hello"}}, Log()}, folder_, kNanosPerMilli * 20, timeout_ns,
                       &signals_);
  }

  std::string Log() const { return Path("log"); }

  WaitedSignals signals_;
};

TEST_F(JobRunTest, AJobHasItsExitCodeItsOutputAndItsEnvironment) {
  const Result<RepeatResult> result = Run("echo $GREETING; echo problem >&2; exit 3");
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->exit_code, 3);
  EXPECT_FALSE(result->timed_out);
  EXPECT_EQ(ReadFile(Log()).value(), "hello\nproblem\n");
}

TEST_F(JobRunTest, AJobKeepsTheSizesThatItHas) {
  ASSERT_TRUE(Run("echo $SPARKPROF_AUTO"));
  EXPECT_EQ(ReadFile(Log()).value(), "off\n");
}

TEST_F(JobRunTest, TheCpuTimeIsThatOfAllProcessesThatWereWaitedFor) {
  const Result<RepeatResult> result = Run("i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done");
  ASSERT_TRUE(result);
  EXPECT_GT(result->cpu_seconds, 0.01);
  EXPECT_GE(result->seconds + 0.05, result->cpu_seconds);
  EXPECT_GT(result->max_rss_bytes, 0);
}

TEST_F(JobRunTest, TheShareOfCpuIsMeasuredOverTimesThatTicksAreShortFor) {
  // CPU is counted in ticks of 10 ms, and read every 20 ms.
  const Result<RepeatResult> result = Run("i=0; while [ $i -lt 600000 ]; do i=$((i + 1)); done");
  ASSERT_TRUE(result);
  ASSERT_EQ(result->maxima.count("other"), 1u);
  EXPECT_GT(result->maxima.at("other").max_cpu_percent, 0);
  EXPECT_LT(result->maxima.at("other").max_cpu_percent, 120) << "of one core";
}

TEST_F(JobRunTest, AJobBeyondItsTimeIsEndedWithItsProcesses) {
  const Result<RepeatResult> result = Run("sleep 600 & echo $!; wait", 300 * kNanosPerMilli);
  ASSERT_TRUE(result);
  EXPECT_TRUE(result->timed_out);
  EXPECT_EQ(result->exit_code, 128 + SIGTERM);
  // The sleep is of the job's group: it goes, or is a zombie until its new parent waits for it.
  const std::string child = ReadFile(Log()).value();
  const std::string path = "/proc/" + child.substr(0, child.find('\n')) + "/stat";
  const auto lives = [&] { return ReadFile(path).value_or(") Z").find(") Z") == std::string::npos; };
  const int64_t end = MonotonicNanos() + 600 * kNanosPerSecond;
  while (lives() && MonotonicNanos() < end) poll(nullptr, 0, 10);
  EXPECT_FALSE(lives());
}

TEST_F(JobRunTest, AJobThatEndsItselfWithSuccessWhenItIsEndedDidNotSucceed) {
  const Result<RepeatResult> result = Run("trap 'exit 0' TERM; while :; do sleep 0.05; done", 300 * kNanosPerMilli);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->exit_code, 128 + SIGTERM);
}

TEST_F(JobRunTest, AProgramThatIsNotThereIsNamed) {
  const Result<RepeatResult> result =
      RunMeasured({{"/no/such/program"}, {}, Log()}, folder_, kNanosPerSecond, kNanosPerSecond, &signals_);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("/no/such/program"), std::string::npos) << result.error().message;
}

TEST_F(JobRunTest, ALogThatExistsIsNotOverwritten) {
  ASSERT_TRUE(WriteFile(Log(), "mine"));
  EXPECT_FALSE(Run("echo other"));
  EXPECT_EQ(ReadFile(Log()).value(), "mine");
}

}  // namespace
}  // namespace sparkprof
