// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>

#include "base/system.h"

namespace sparkprof {
namespace {

int ExitCode(const StartedProcess& process) {
  int status = 0;
  EXPECT_EQ(waitpid(process.pid, &status, 0), process.pid);
  return ShellExitCode(status);
}

TEST(StartProcessTest, RunsTheCommandAfterThePreparation) {
  const StartedProcess process = StartProcess({"sh", "-c", "exit $CODE"}, [] { setenv("CODE", "7", 1); });
  EXPECT_EQ(ExitCode(process), 7);
}

TEST(StartProcessTest, ASignalIsAnExitCodeAbove128) {
  EXPECT_EQ(ExitCode(StartProcess({"sh", "-c", "kill -TERM $$"}, [] {})), 143);
}

TEST(StartProcessTest, AProgramThatIsNotThereIsAnErrorAndLeavesNoChild) {
  const StartedProcess process = StartProcess({"/nowhere/at-all"}, [] {});
  EXPECT_EQ(process.pid, -1);
  EXPECT_EQ(process.error, ENOENT);
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
}

}  // namespace
}  // namespace sparkprof
