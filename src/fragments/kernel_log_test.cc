// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

constexpr char kContainer[] =
    "[91.805765] java invoked oom-killer: gfp_mask=0xd0, order=0, oom_score_adj=872\n"
    "[91.805772] CPU: 2 PID: 32498 Comm: java Not tainted 4.14.193 #1\n"
    "[91.805851] Task in /kubepods/pod7/5929 killed as a result of limit of /kubepods/pod7\n"
    "[91.805856] memory: usage 5767168kB, limit 5767168kB, failcnt 81735\n"
    "[91.805858] memory+swap: usage 5767168kB, limit 9007199254740988kB, failcnt 0\n"
    "[91.805871] [ pid ]   uid  tgid total_vm      rss nr_ptes nr_pmds swapents oom_score_adj name\n"
    "[91.805883] [32498]   185 32498  2713442  1048576    2561      13        0           872 java\n"
    "[91.805887] [32911]   185 32911   118112    65536     243       4        0           872 python3\n"
    "[91.805889] [32912]   185 32912   119870    65536     246       4        0           872 python3\n"
    "[91.805899] Memory cgroup out of memory: Kill process 32498 (java) score 1669 or sacrifice child\n"
    "[91.806411] Killed process 32498 (java) total-vm:10853768kB, anon-rss:4194304kB, file-rss:0kB, shmem-rss:0kB\n";

TEST(KernelLogTest, AKillForTheLimitOfAContainerIsAFailure) {
  const FragmentAnswer answer = AnswerText(kContainer);
  EXPECT_EQ(
      Summary(answer),
      "A kernel log with a kill for memory: The kernel killed java: its container reached its memory limit of 5.5 "
      "GiB.\n"
      "Killed: 1 java\n"
      "java (process 32498): 4.0 GiB resident\n"
      "Limit of its control group: 5.5 GiB\n"
      "Control group: /kubepods/pod7\n"
      "Resident: 4.0 GiB of 1 java, 512 MiB of 2 python3\n"
      "oom: The kernel killed java: its container reached its memory limit of 5.5 GiB\n");
  EXPECT_NE(answer.answers.findings[0].change.find("processes (2) hold 512 MiB"), std::string::npos);
  AnswerStartsOf(kContainer);
}

TEST(KernelLogTest, NewerKernelsAndHostsAreRead) {
  const FragmentAnswer container = AnswerText(
      "kernel: "
      "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),oom_memcg=/pod1,task_memcg=/pod1/a,task=java,pid=7\n"
      "kernel: Memory cgroup out of memory: Killed process 7 (java) total-vm:1kB, anon-rss:1048576kB, UID:185\n");
  EXPECT_EQ(container.answers.findings[0].title, "The kernel killed java: its container reached its memory limit");
  const FragmentAnswer host =
      AnswerText("Nov 28 07:00:01 node1 kernel: Out of memory: Killed process 7 (java) total-vm:1kB, anon-rss:1kB\n");
  EXPECT_EQ(host.answers.findings[0].title, "The kernel killed java: the host had no memory left");
}

}  // namespace
}  // namespace sparkprof
