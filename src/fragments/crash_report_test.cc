// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/findings/failures/failure_report.h"
#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

constexpr char kCrash[] =
    "#\n# A fatal error has been detected by the Java Runtime Environment:\n#\n"
    "#  SIGSEGV (0xb) at pc=0x00007f0000001234, pid=17, tid=42\n#\n"
    "# JRE version: OpenJDK Runtime Environment (17.0.15+6) (build 17.0.15+6)\n"
    "# Problematic frame:\n# C  [libzstd-jni.so+0x12f3]  ZSTD_decompress+0x43\n#\n\n"
    "---------------  S U M M A R Y ------------\n\n"
    "Command Line: -Xmx4g org.apache.spark.executor.YarnCoarseGrainedExecutorBackend --password=hunter2xyz "
    "--executor-id 1\n"
    "Time: Sat Nov 28 07:00:01 2026 UTC elapsed time: 12.345678 seconds (0d 0h 0m 12s)\n\n"
    "Current thread (0x00007f00):  JavaThread \"Executor task launch worker for task 1.0\" daemon\n\n"
    "Heap:\n garbage-first heap   total 1048576K, used 523264K [0x1, 0x2)\n\n"
    "Memory: 4k page, physical 16384000k(123000k free), swap 0k(0k free)\n";

TEST(CrashReportTest, NamesSignalFrameAndProcessWithoutSecrets) {
  const FragmentAnswer answer = AnswerText(kCrash);
  EXPECT_EQ(Summary(answer),
            "A crash report of the JVM (hs_err): SIGSEGV (0xb).\n"
            "Frame: C  [libzstd-jni.so+0x12f3]  ZSTD_decompress+0x43\n"
            "Thread: (0x00007f00):  JavaThread \"Executor task launch worker for task 1.0\" daemon\n"
            "Heap at that time: garbage-first heap   total 1048576K, used 523264K [0x1, 0x2)\n"
            "Memory of the host: 4k page, physical 16384000k(123000k free), swap 0k(0k free)\n"
            "After: 12.345678 seconds (0d 0h 0m 12s)\n"
            "JVM: OpenJDK Runtime Environment (17.0.15+6) (build 17.0.15+6)\n"
            "Command line: -Xmx4g org.apache.spark.executor.YarnCoarseGrainedExecutorBackend "
            "--password=*********(redacted) --executor-id 1\n"
            "lost-executors: The JVM crashed in C  [libzstd-jni.so+0x12f3]  ZSTD_decompress+0x43: SIGSEGV (0xb)\n");
  EXPECT_NE(answer.answers.findings[0].change.find("Update libzstd-jni.so"), std::string::npos);
  ASSERT_TRUE(answer.answers.findings[0].failure);
  EXPECT_EQ(answer.answers.findings[0].failure->failure->id, "jvm-crash");
  AnswerStartsOf(kCrash);
}

TEST(CrashReportTest, MemoryThatTheSystemRefusesIsOutOfMemory) {
  const FragmentAnswer answer = AnswerText(
      "#\n# There is insufficient memory for the Java Runtime Environment to continue.\n"
      "# Native memory allocation (mmap) failed to map 1073741824 bytes. Error detail: committing reserved memory.\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].rule, "oom");
  EXPECT_NE(answer.answers.findings[0].change.find("memoryOverhead"), std::string::npos);
  EXPECT_EQ(answer.answers.findings[0].failure->failure->id, "native-memory-refused");
}

}  // namespace
}  // namespace sparkprof
