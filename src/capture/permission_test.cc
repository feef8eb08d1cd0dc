// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/proc.h"

namespace sparkprof {
namespace {

bool Says(const LookPermission& permission, std::string_view wanted) {
  return ExplainNotPermitted(12, permission).find(wanted) != std::string::npos;
}

TEST(Permission, SaysWhatToDoUnderYama) {
  LookPermission permission{.is_own = true, .user = "ada", .owner = "ada", .ptrace_scope = "1"};
  EXPECT_TRUE(Says(permission, "kernel.yama.ptrace_scope is 1"));
  EXPECT_TRUE(Says(permission, "sudo sysctl kernel.yama.ptrace_scope=0"));
  permission.ptrace_scope = "2";
  EXPECT_TRUE(Says(permission, "by root only"));
  permission.ptrace_scope = "3";
  permission.is_root = true;
  EXPECT_TRUE(Says(permission, "until this host restarts"));
}

TEST(Permission, SaysWhoseItIs) {
  // The scope is not why.
  EXPECT_TRUE(Says({.user = "ada", .owner = "bob", .ptrace_scope = "1"}, "process 12 belongs to bob"));
  EXPECT_TRUE(Says({.user = "ada", .owner = "bob", .ptrace_scope = "1"}, "sudo -u bob"));
}

TEST(Permission, SaysWhatContainersLack) {
  EXPECT_TRUE(Says({.is_root = true, .user = "root", .owner = "root"}, "--cap-add SYS_PTRACE"));
  EXPECT_TRUE(Says({.is_own = true, .user = "ada", .owner = "ada", .ptrace_scope = "0"}, "PR_SET_DUMPABLE"));
}

TEST(Permission, KnowsTheOwnerOfARealProcess) {
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  const std::string why = NotPermitted(child).message;
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(why.find("belongs to"), std::string::npos) << why;
}

}  // namespace
}  // namespace sparkprof
