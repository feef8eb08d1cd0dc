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

constexpr char kUiFrames[] =
    "sun.nio.ch.SinkChannelImpl.write(SinkChannelImpl.java:159) => holding Monitor(java.lang.Object@9}) "
    "com.example.Receiver.receive(Receiver.java:268)\n";

TEST(ThreadDumpAnswerTest, ATableInMarkdownNamesTheHolderOfALock) {
  std::string text = "Thread ID | Thread Name | Thread State | Thread Locks\n-- | -- | -- | --\n";
  for (int worker = 1; worker <= 4; ++worker) {
    text += fmt::format("{} | worker-{} | BLOCKED | Blocked by Thread Some(7) Lock(java.lang.Object@9}})\n{}", worker,
                        worker, kUiFrames);
  }
  text += fmt::format("7 | pool-12-thread-1 | RUNNABLE | Monitor(java.lang.Object@9}})\n{}", kUiFrames);
  const FragmentAnswer answer = AnswerText(text);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].title, "4 threads wait for a lock that pool-12-thread-1 holds");
  EXPECT_EQ(answer.answers.findings[0].evidence,
            "worker-1 waits for <java.lang.Object@9>, which pool-12-thread-1 holds");
  EXPECT_EQ(answer.answers.findings[0].what,
            "At the time of the dump, 4 threads were blocked by pool-12-thread-1, in "
            "sun.nio.ch.SinkChannelImpl.write:159");
  AnswerStartsOf(text);
}

TEST(ThreadDumpAnswerTest, ATaskOfAShortExcerptIsNamed) {
  const std::string text =
      "59  Executor task launch worker for task 4.0 in stage 7.0 (TID 1)\nWAITING\tLock(java.lang.Object@1})\n"
      "  sun.misc.Unsafe.park(Native Method)\n"
      "  org.apache.spark.storage.ShuffleBlockFetcherIterator.next(ShuffleBlockFetcherIterator.scala:756)\n  ...\n"
      "spark.shuffle.service.enabled\ttrue\n";
  EXPECT_EQ(Summary(AnswerText(text)),
            "A thread dump: 1 thread, 1 of them run tasks.\n"
            "Task threads that wait for blocks of a shuffle: 1\n"
            "fetch-wait: 1 of 1 thread of tasks wait for blocks of a shuffle\n");
  AnswerStartsOf(text);
}

TEST(ThreadDumpAnswerTest, ThreadsThatWaitForEachOtherAreADeadlockWithoutItsHeader) {
  const std::string text =
      "Java stack information for the threads listed above:\n"
      "\"getter\":\n\tat org.apache.spark.A.kill(A.scala:1)\n\t- waiting to lock <0x2> (a org.apache.spark.B)\n"
      "\t- locked <0x1> (a org.apache.spark.A)\n"
      "\"loop\":\n\tat org.apache.spark.B.offer(B.scala:1)\n\t- waiting to lock <0x1> (a org.apache.spark.A)\n"
      "\t- locked <0x2> (a org.apache.spark.B)\n";
  const FragmentAnswer answer = AnswerText(text);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.verdict, "A thread dump: 2 threads.");
  EXPECT_EQ(answer.answers.findings[0].title, "2 threads wait for each other: a deadlock");
  EXPECT_NE(answer.answers.findings[0].change.find("update Spark"), std::string::npos);
  AnswerStartsOf(text);
}

TEST(ThreadDumpAnswerTest, AThreadInWaitGivesItsLockBack) {
  EXPECT_TRUE(AnswerText(std::string(kHead) +
                         "\"a\" #1 prio=5 tid=0x1 nid=0x1 in Object.wait()\n\tat java.lang.Object.wait(Native Method)\n"
                         "\t- waiting on <0x1> (a A)\n\tat a.B.c(B.java:1)\n\t- locked <0x1> (a A)\n\n"
                         "\"b\" #2 prio=5 tid=0x1 nid=0x2 waiting for monitor entry\n\tat a.B.d(B.java:1)\n"
                         "\t- waiting to lock <0x1> (a A)\n")
                  .facts.empty());
}

TEST(ThreadDumpAnswerTest, IdleThreadsThatKeepAnEndedProgramAliveAreNamed) {
  const std::string idle =
      "\tat jdk.internal.misc.Unsafe.park(java.base@17/Native Method)\n"
      "\tat java.util.concurrent.ThreadPoolExecutor.getTask(ThreadPoolExecutor.java:1)\n\n";
  const std::string text = std::string(kHead) + "\"pool-3-thread-1\" #8 prio=5 tid=0x1 nid=0x1 waiting\n" + idle +
                           "\"pool-3-thread-2\" #9 prio=5 tid=0x1 nid=0x2 waiting\n" + idle +
                           "\"cleaner\" #7 daemon prio=5 tid=0x1 nid=0x4 waiting\n" + idle +
                           "\"DestroyJavaVM\" #10 prio=5 tid=0x1 nid=0x3 waiting on condition\n";
  const FragmentAnswer answer = AnswerText(text);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].title, "The program has ended, but idle threads keep its JVM alive");
  EXPECT_EQ(answer.answers.findings[0].evidence, "Idle threads that are no daemons: 2 pool-3-thread-N");
  // A server's thread does work.
  EXPECT_TRUE(AnswerText(text + "\n\"acceptor\" #11 prio=5 tid=0x1 nid=0x5 runnable\n\tat a.B.c(B.java:1)\n")
                  .answers.findings.empty());
}

TEST(ThreadDumpAnswerTest, FramesShowWhatAThreadOfAnyNameDoes) {
  EXPECT_EQ(Summary(AnswerText("Thread 2871 (idle): \"MainThread\"\n"
                               "    _write_with_length (pyspark/serializers.py:173)\n"
                               "    dump_stream (pyspark/serializers.py:211)\n"
                               "    main (pyspark/worker.py:619)\n")),
            "A thread dump: 1 thread.\n"
            "python-bound: A thread waits in a Python worker until the JVM reads its rows\n");
  EXPECT_EQ(
      AnswerText("Thread 20417: (state = IN_JAVA)\n"
                 " - java.io.ObjectInputStream.readObject() @bci=19, line=370 (Compiled frame)\n"
                 " - org.apache.spark.serializer.JavaDeserializationStream.readObject(a.B) @bci=4, line=72 (Compiled "
                 "frame)\n"
                 " - org.apache.spark.util.collection.ExternalSorter$SpillReader.readNextItem() @bci=48, line=563 "
                 "(Compiled frame)\n")
          .answers.findings[0]
          .title,
      "A thread reads spilled records back, with Java serialization");
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

TEST(ThreadDumpAnswerTest, AForcedDumpHasTasksWithoutNamesOfThreads) {
  EXPECT_EQ(Summary(AnswerText(
                "Attaching to process ID 1, please wait...\nDeadlock Detection:\n\nNo deadlocks found.\n\n"
                "Thread 12: (state = IN_NATIVE)\n"
                " - java.net.SocketInputStream.socketRead0(java.io.FileDescriptor, byte[]) @bci=0 (Compiled "
                "frame)\n"
                " - oracle.jdbc.driver.T4CPreparedStatement.executeForRows(boolean) @bci=4, line=1076 (Compiled "
                "frame)\n"
                " - org.apache.spark.sql.execution.datasources.jdbc.JdbcUtils$.savePartition(int) @bci=4, "
                "line=760 (Compiled frame)\n"
                " - org.apache.spark.executor.Executor$TaskRunner.run() @bci=4, line=554 (Compiled frame)\n")),
            "A thread dump: 1 thread, 1 of them run tasks.\n"
            "Task threads that wait for a database: 1\n"
            "sleep: 1 of 1 thread of tasks wait for a database\n");
}

}  // namespace
}  // namespace sparkprof
