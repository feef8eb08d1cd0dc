// SPDX-License-Identifier: Apache-2.0
#include "text_log/stack_trace.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparkprof {
namespace {

using Texts = std::vector<std::string>;

// "class: message", with an asterisk before the root.
Texts Exceptions(const StackTrace& trace) {
  Texts texts;
  for (size_t i = 0; i < trace.exceptions.size(); ++i) {
    texts.push_back((i == trace.root ? "*" : "") + trace.exceptions[i].name + ": " + trace.exceptions[i].message);
  }
  return texts;
}

TEST(StackTraceTest, TheLastCauseIsTheRoot) {
  const StackTrace trace = ParseStackTrace("Failed: java.lang.RuntimeException: outer",
                                           "\tat com.example.Job.run(Job.java:12)\r\n"
                                           "\tSuppressed: java.io.IOException: closed\n"
                                           "\t\tat com.example.Disk.close(Disk.java:9)\n"
                                           "\n"
                                           "Caused by: java.io.IOException: disk full\n"
                                           "\tat com.example.Disk.write(Disk.java:7)\n"
                                           "\t... 3 more\n");
  EXPECT_EQ(Exceptions(trace), (Texts{"java.lang.RuntimeException: outer", "*java.io.IOException: disk full"}));
  EXPECT_EQ(trace.frames, (Texts{"com.example.Job.run", "com.example.Disk.write"}));
}

TEST(StackTraceTest, AThreadsUncaughtExceptionIsNamedBehindItsName) {
  EXPECT_EQ(Exceptions(ParseStackTrace("Exception in thread \"main\" java.lang.Error: gone", "")),
            (Texts{"*java.lang.Error: gone"}));
  EXPECT_TRUE(ParseStackTrace("Exception in thread main", "").exceptions.empty());
}

TEST(StackTraceTest, ExceptionsAreFoundWithinAMessage) {
  EXPECT_EQ(Exceptions(ParseStackTrace("Lost task 0.0: (TID 4): java.io.IOException: a: b", "")),
            (Texts{"*java.io.IOException: a: b"}));
  EXPECT_EQ(Exceptions(ParseStackTrace("java.io.IOException", "")), (Texts{"*java.io.IOException: "}));
  EXPECT_TRUE(ParseStackTrace("nothing: happened", "").exceptions.empty());
}

TEST(StackTraceTest, FramesHaveNoModulesLinesAndNumbers) {
  const StackTrace trace = ParseStackTrace("java.lang.Error: x",
                                           "\tat java.base/java.lang.Thread.run(Thread.java:840)\n"
                                           "\tat app//com.example.Job$1.call(Job.java:3)\n"
                                           "\tat com.example.Job.$anonfun$run$2(Job.scala:4)\n"
                                           "  at spaces.Are.indentation(Too.java)\n"
                                           "at start.Of.line(No.java:1)\n");
  ASSERT_EQ(trace.frames.size(), 4u);
  EXPECT_EQ(trace.frames[0], "java.lang.Thread.run");
  EXPECT_EQ(trace.frames[1], "com.example.Job$.call");
  EXPECT_EQ(trace.frames[2].find_first_of("0123456789"), std::string::npos) << trace.frames[2];
  EXPECT_EQ(trace.frames[3], "spaces.Are.indentation");
}

TEST(StackTraceTest, PythonsFramesHaveTheNameOfTheFile) {
  const StackTrace trace =
      ParseStackTrace("Traceback (most recent call last):",
                      "  File \"/home/me/job.py\", line 35, in flaky\n"
                      "    raise ValueError(\"bad\")\n"
                      "  File \"/opt/spark/python/lib/pyspark.zip/pyspark/worker.py\", line 1, in main\n"
                      "  File \"/usr/lib/python3/site-packages/pandas/core/frame.py\", line 5, in apply\n"
                      "  File \"/x/site-packages/py4j/protocol.py\", line 5, in get\n"
                      "  File \"<stdin>\", line 1\n"
                      "  File \"unclosed\n"
                      "File \"/not/indented.py\", line 1, in no\n"
                      "ValueError: bad\n");
  EXPECT_EQ(trace.frames, (Texts{"job.py:flaky", "pyspark/worker.py:main", "site-packages/pandas/core/frame.py:apply",
                                 "site-packages/py4j/protocol.py:get", "<stdin>:", ""}));
  EXPECT_EQ(Exceptions(trace), (Texts{"*ValueError: bad"}));
}

TEST(StackTraceTest, TheLineAfterPythonsFramesIsAnExceptionOfAnyName) {
  const StackTrace trace =
      ParseStackTrace("org.apache.spark.api.python.PythonException: Traceback (most recent call last):",
                      "  File \"job.py\", line 3, in cast\n"
                      "    return values.cast()\n"
                      "pyarrow.lib.ArrowInvalid: Failed to parse string: 'x'\n"
                      "plain text: of no exception\n");
  EXPECT_EQ(Exceptions(trace).back(), "*pyarrow.lib.ArrowInvalid: Failed to parse string: 'x'");
}

TEST(StackTraceTest, AnErrorOfPy4JCarriesAnExceptionOfJava) {
  const StackTrace trace = ParseStackTrace("py4j.protocol.Py4JJavaError: An error occurred while calling o40.text.",
                                           ": com.example.QuotaException: too many requests\n\tat a.B.c(B.java:1)\n");
  EXPECT_EQ(Exceptions(trace).back(), "*com.example.QuotaException: too many requests");
}

TEST(StackTraceTest, PythonsCauseIsPrintedFirst) {
  const StackTrace trace = ParseStackTrace("Traceback (most recent call last):",
                                           "ValueError: bad\n"
                                           "The above exception was the direct cause of the following exception:\n"
                                           "KeyError: other\n"
                                           "The above exception was the direct cause of the following exception:\n"
                                           "RuntimeError: last\n");
  EXPECT_EQ(Exceptions(trace), (Texts{"*ValueError: bad", "KeyError: other", "RuntimeError: last"}));
}

TEST(StackTraceTest, ACauseOfTheJvmBehindAPythonCauseIsTheRoot) {
  const StackTrace trace = ParseStackTrace("Traceback (most recent call last):",
                                           "ValueError: bad\n"
                                           "The above exception was the direct cause of the following exception:\n"
                                           "RuntimeError: last\n"
                                           "Caused by: java.io.IOException: disk\n");
  EXPECT_EQ(Exceptions(trace).back(), "*java.io.IOException: disk");
}

TEST(StackTraceTest, FramesAndExceptionsAreBounded) {
  std::string text;
  for (int i = 0; i < 500; ++i)
    text += "\tat a.B.c(D.java:1)\n  File \"x.py\", line 1, in f\nCaused by: a.BException: x\n";
  const StackTrace trace = ParseStackTrace("java.lang.Error: x", text);
  EXPECT_EQ(trace.frames.size(), 400u);
  EXPECT_EQ(trace.exceptions.size(), 50u);
  EXPECT_EQ(trace.root, 49u);
  std::string python;
  for (int i = 0; i < 500; ++i) python += "  File \"x.py\", line 1, in f\n";
  EXPECT_EQ(ParseStackTrace("", python).frames.size(), 400u);
}

TEST(StackTraceTest, LibrariesAreNotTheUsersCode) {
  for (const char* const frame :
       {"", "java.lang.Thread.run", "javax.net.X", "jdk.internal.X", "sun.misc.X", "com.sun.X", "scala.X",
        "org.apache.spark.rdd.RDD.iterator", "org.apache.hadoop.X", "py4j.X", "io.netty.X", "pyspark/worker.py:main",
        "site-packages/pandas/x.py:f", "org.apache.parquet.X", "org.sparkproject.X"}) {
    EXPECT_FALSE(IsApplicationFrame(frame)) << frame;
  }
  EXPECT_TRUE(IsApplicationFrame("com.example.Job.run"));
  EXPECT_TRUE(IsApplicationFrame("job.py:flaky"));
}

}  // namespace
}  // namespace sparkprof
