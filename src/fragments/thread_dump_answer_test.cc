// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

std::string Thread(int number, const std::string& state, const std::string& frames) {
  return "\"Executor task launch worker for task " + std::to_string(number) + ".0 in stage 1.0 (TID " +
         std::to_string(number) + ")\" #4" + std::to_string(number) + " daemon prio=5 os_prio=0 tid=0x1 nid=0x" +
         std::to_string(number) + " runnable [0x1]\n   java.lang.Thread.State: " + state + "\n" + frames + "\n";
}

constexpr char kHead[] = "2026-11-28 07:00:01\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15 mixed mode):\n\n";
constexpr char kPython[] =
    "\tat java.net.SocketInputStream.socketRead0(java.base@17/Native Method)\n"
    "\tat org.apache.spark.api.python.PythonRunner$ReaderIterator.read(PythonRunner.scala:1)\n"
    "\tat org.apache.spark.scheduler.Task.run(Task.scala:1)\n";
constexpr char kBlocked[] =
    "\tat com.example.Cache.get(Cache.java:7)\n"
    "\t- waiting to lock <0x00000001> (a com.example.Cache)\n"
    "\tat org.apache.spark.scheduler.Task.run(Task.scala:1)\n";
constexpr char kOwner[] =
    "\tat com.example.Cache.load(Cache.java:12)\n"
    "\t- locked <0x00000001> (a com.example.Cache)\n"
    "\tat org.apache.spark.scheduler.Task.run(Task.scala:1)\n";

TEST(ThreadDumpAnswerTest, CountsWhatTheThreadsOfTasksDo) {
  const std::string text = kHead + Thread(1, "RUNNABLE", kPython) + Thread(2, "RUNNABLE", kPython) +
                           Thread(3, "RUNNABLE", kPython) + Thread(4, "BLOCKED (on object monitor)", kBlocked) +
                           Thread(5, "RUNNABLE", kOwner);
  EXPECT_EQ(Summary(AnswerText(text)),
            "A thread dump: 5 threads, 5 of them run tasks.\n"
            "Task threads that wait for Python: 3\n"
            "Task threads that wait for a lock: 1\n"
            "Task threads that compute: 1 in com.example.Cache.load:12\n"
            "Executor task launch worker for task 4.0 in stage 1.0 (TID 4) waits for <0x00000001>, which Executor task "
            "launch worker for "
            "task 5.0 in stage 1.0 (TID 5) holds\n"
            "python-bound: 3 of 5 threads of tasks wait for Python workers\n");
  AnswerStartsOf(text);
}

TEST(ThreadDumpAnswerTest, ADeadlockIsAFailure) {
  const FragmentAnswer answer =
      AnswerText(std::string(kHead) +
                 "\"a\" #1 prio=5 tid=0x1 nid=0x1 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED (on "
                 "object monitor)\n"
                 "\tat com.example.A.run(A.java:1)\n\t- waiting to lock <0x2> (a B)\n\t- locked <0x1> (a A)\n\n"
                 "\"b\" #2 prio=5 tid=0x1 nid=0x2 waiting for monitor entry\n   java.lang.Thread.State: BLOCKED (on "
                 "object monitor)\n"
                 "\tat com.example.B.run(B.java:1)\n\t- waiting to lock <0x1> (a A)\n\t- locked <0x2> (a B)\n\n"
                 "Found one Java-level deadlock:\n=============================\n\"a\":\n  waiting to lock monitor "
                 "0x7f (object 0x2, a B),\n"
                 "  which is held by \"b\"\n\n\"b\":\n  waiting to lock monitor 0x7e (object 0x1, a A),\n  which is "
                 "held by \"a\"\n\n"
                 "Java stack information for the threads listed above:\n\"a\":\n\tat com.example.A.run(A.java:1)\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  const Finding& finding = answer.answers.findings[0];
  EXPECT_EQ(finding.title, "2 threads wait for each other: a deadlock");
  EXPECT_EQ(finding.evidence, "a waits for <0x2>, which b holds; b waits for <0x1>, which a holds");
  EXPECT_TRUE(finding.is_failure);
}

TEST(ThreadDumpAnswerTest, ThreadsOfThePoolWithoutATaskAreIdle) {
  const FragmentAnswer answer = AnswerText(
      std::string(kHead) + Thread(1, "TIMED_WAITING (parking)",
                                  "\tat jdk.internal.misc.Unsafe.park(java.base@17/Native Method)\n"
                                  "\tat java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)\n"));
  EXPECT_EQ(Summary(answer), "A thread dump: 1 thread.\nTask threads without a task: 1\n");
}

TEST(ThreadDumpAnswerTest, ThePageOfTheSparkUiIsReadAsCopied) {
  std::string text = "Thread dump for executor 6\nThread ID\tThread Name\tThread State\tThread Locks\n";
  for (int task = 0; task < 4; ++task) {
    text += fmt::format(
        "{}\tExecutor task launch worker for task {}.0 in stage 3.0 (TID {})\tRUNNABLE\tMonitor(java.lang.Object@1)\n"
        "java.base@17.0.12/java.util.regex.Pattern$Loop.match(Pattern.java:4968)\n"
        "app//org.apache.spark.executor.Executor$TaskRunner.run(Executor.scala:623)\n",
        90 + task, task, task);
  }
  text += "95\tdispatcher-event-loop-0\tWAITING\t\njava.base@17.0.12/jdk.internal.misc.Unsafe.park(Native Method)\n";
  EXPECT_EQ(Summary(AnswerText(text)),
            "A thread dump: 5 threads, 4 of them run tasks.\n"
            "Task threads that match regular expressions: 4\n"
            "hot: 4 of 4 threads of tasks match regular expressions\n");
  AnswerStartsOf(text);
}

TEST(ThreadDumpAnswerTest, ADriverThatListsFilesIsNamed) {
  EXPECT_EQ(Summary(AnswerText(std::string(kHead) +
                               "\"main\" #1 prio=5 tid=0x1 nid=0x1 runnable\n   java.lang.Thread.State: RUNNABLE\n"
                               "\tat sun.nio.ch.SocketDispatcher.read0(java.base@17/Native Method)\n"
                               "\tat org.apache.hadoop.fs.s3a.S3AFileSystem.listStatus(S3AFileSystem.java:3380)\n"
                               "\tat org.apache.hadoop.fs.Globber.glob(Globber.java:202)\n"
                               "\tat com.example.Backfill.main(Backfill.java:50)\n\n"
                               "\"Reference Handler\" #2 daemon prio=10 tid=0x1 nid=0x2 waiting on condition\n"
                               "   java.lang.Thread.State: RUNNABLE\n"
                               "\tat java.lang.ref.Reference.waitForReferencePendingList(java.base@17/Native "
                               "Method)\n")),
            "A thread dump: 2 threads.\n"
            "The main thread was seen to wait for a store of files, in com.example.Backfill.main:50\n"
            "file-listing: The driver lists files\n");
}

}  // namespace
}  // namespace sparkprof
