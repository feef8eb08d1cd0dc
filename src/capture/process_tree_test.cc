// SPDX-License-Identifier: Apache-2.0
#include "capture/process_tree.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

#include "capture/testing/child_process.h"

namespace sparkprof {
namespace {

const ProcessReading* Find(const std::vector<ProcessReading>& readings, int64_t pid) {
  const auto found =
      std::find_if(readings.begin(), readings.end(), [&](const ProcessReading& reading) { return reading.pid == pid; });
  return found == readings.end() ? nullptr : &*found;
}

TEST(ProcessTree, FindsTheRootItsChildrenAndTheirs) {
  // The shell prints its child's id, then waits for it.
  ChildProcess shell({"sh", "-c", "sleep 60 & echo $!; wait"});
  const int64_t grandchild = std::stoll(shell.ReadLine());
  ProcessTree tree(getpid(), 0);
  const auto readings = tree.Scan();
  ASSERT_FALSE(readings.empty());
  EXPECT_EQ(readings[0].pid, getpid());
  EXPECT_EQ(readings[0].role, ProcessRole::kJvm);
  EXPECT_GT(readings[0].rss_bytes, 0);
  EXPECT_GE(readings[0].threads, 1);
  EXPECT_TRUE(readings[0].has_io);
  const ProcessReading* child = Find(readings, shell.Pid());
  ASSERT_NE(child, nullptr);
  EXPECT_EQ(child->parent_pid, getpid());
  const ProcessReading* below = Find(readings, grandchild);
  ASSERT_NE(below, nullptr);
  EXPECT_EQ(below->parent_pid, shell.Pid());
  kill(static_cast<pid_t>(grandchild), SIGKILL);
}

TEST(ProcessTree, LeavesOutWhatEndedAndKeepsOrphans) {
  ChildProcess shell({"sh", "-c", "sleep 60 & echo $!; wait"});
  const int64_t grandchild = std::stoll(shell.ReadLine());
  ProcessTree tree(getpid(), 0);
  tree.Scan();
  const int64_t shell_pid = shell.Pid();
  shell.Kill();
  const auto readings = tree.Scan();
  EXPECT_EQ(Find(readings, shell_pid), nullptr);
  ASSERT_NE(Find(readings, grandchild), nullptr);
  EXPECT_EQ(Find(readings, grandchild)->parent_pid, shell_pid);
  kill(static_cast<pid_t>(grandchild), SIGKILL);
}

TEST(ProcessTree, SeesAChildThatStartsLater) {
  ProcessTree tree(getpid(), 0);
  tree.Scan();
  ChildProcess child({"sh", "-c", "echo ready; read line"});
  ASSERT_EQ(child.ReadLine(), "ready");
  const auto readings = tree.Scan();
  ASSERT_NE(Find(readings, child.Pid()), nullptr);
  EXPECT_EQ(Find(readings, child.Pid())->command, "sh -c echo ready; read line");
}

TEST(ProcessTree, CpuTimeAgreesWithWhatTheChildSays) {
  ChildProcess child({"sh", "-c",
                      "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; "
                      "awk '{print ($14+$15)*10000000}' /proc/$$/stat; exec sleep 60"});
  const double said_ns = std::stod(child.ReadLine());
  ProcessTree tree(getpid(), 0);
  const auto readings = tree.Scan();
  ASSERT_NE(Find(readings, child.Pid()), nullptr);
  EXPECT_GT(said_ns, 0);
  EXPECT_NEAR(static_cast<double>(Find(readings, child.Pid())->cpu_ns), said_ns, 50e6);
}

// spark-submit starts the user's script like this; a process that the script starts inherits the variable.
TEST(ProcessTree, APythonProgramThatTheJvmStartedDrivesSpark) {
  ChildProcess program({"env", "PYSPARK_GATEWAY_PORT=1", "python3", "-c",
                        "import subprocess, sys\n"
                        "wait = 'print(1, flush=True); input()'\n"
                        "child = subprocess.Popen([sys.executable, '-c', wait], stdout=subprocess.PIPE)\n"
                        "child.stdout.readline()\n"
                        "print(child.pid, flush=True)\n"
                        "input()\n"});
  const int64_t helper = std::stoll(program.ReadLine());
  ProcessTree tree(getpid(), 0);
  const auto readings = tree.Scan();
  ASSERT_NE(Find(readings, program.Pid()), nullptr);
  ASSERT_NE(Find(readings, helper), nullptr);
  EXPECT_EQ(Find(readings, program.Pid())->role, ProcessRole::kPythonDriver);
  EXPECT_EQ(Find(readings, helper)->role, ProcessRole::kOther);
}

// `python job.py` starts the JVM like this.
TEST(ProcessTree, APythonProgramThatStartedTheJvmIsFollowedToo) {
  ChildProcess program({"python3", "-c",
                        "import os, subprocess\n"
                        "variables = {**os.environ, '_PYSPARK_DRIVER_CONN_INFO_PATH': '/tmp/x'}\n"
                        "pipes = {'stdin': subprocess.PIPE, 'stdout': subprocess.PIPE}\n"
                        "jvm = subprocess.Popen(['cat'], env=variables, **pipes)\n"
                        "jvm.stdin.write(b'now it has its variables\\n')\n"
                        "jvm.stdin.flush()\n"
                        "jvm.stdout.readline()\n"
                        "print(jvm.pid, flush=True)\n"
                        "input()\n"});
  const int64_t jvm = std::stoll(program.ReadLine());
  ProcessTree tree(jvm, 0);
  const auto readings = tree.Scan();
  ASSERT_EQ(readings.size(), 2u);
  EXPECT_EQ(readings[0].pid, jvm);
  EXPECT_EQ(readings[0].role, ProcessRole::kJvm);
  EXPECT_EQ(readings[1].role, ProcessRole::kPythonDriver);
  EXPECT_GT(readings[1].rss_bytes, 0);
  // A process started by a shell has no such parent.
  const ChildProcess alone({"sleep", "60"});
  EXPECT_EQ(ProcessTree(alone.Pid(), 0).Scan().size(), 1u);
}

TEST(ProcessTree, TheAgentHasItsRole) {
  ChildProcess child({"sleep", "60"});
  ProcessTree tree(getpid(), child.Pid());
  const auto readings = tree.Scan();
  ASSERT_NE(Find(readings, child.Pid()), nullptr);
  EXPECT_EQ(Find(readings, child.Pid())->role, ProcessRole::kAgent);
}

TEST(ProcessTree, AJvmWithItsOwnAgentIsLeftToIt) {
  const std::string agent = testing::TempDir() + "sparkprof-agent-" + std::to_string(getpid());
  std::filesystem::remove(agent);
  std::filesystem::create_symlink("/bin/sleep", agent);
  ProcessTree tree(getpid(), 0);
  ChildProcess jvm({"sh", "-c", "read line; \"$0\" 60 & echo $!; sleep 60 & echo $!; wait", agent});
  EXPECT_NE(Find(tree.Scan(), jvm.Pid()), nullptr) << "its agent does not run yet";
  EXPECT_EQ(write(jvm.Input(), "\n", 1), 1);
  const int64_t its_agent = std::stoll(jvm.ReadLine()), other = std::stoll(jvm.ReadLine());
  // The shell's child has its parent's name until it has begun.
  while (ReadProcessStat(its_agent)->command == "sh") sched_yield();
  for (int scan = 0; scan < 2; ++scan) {
    const auto readings = tree.Scan();
    for (const int64_t pid : {jvm.Pid(), its_agent, other}) EXPECT_EQ(Find(readings, pid), nullptr) << pid;
  }
  for (const int64_t pid : {its_agent, other}) kill(static_cast<pid_t>(pid), SIGKILL);
  std::filesystem::remove(agent);
}

}  // namespace
}  // namespace sparkprof
