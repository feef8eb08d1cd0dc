// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/failures/failure_cause.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(FailureCauseTest, TheCauseOfAPythonErrorIsItsLastLine) {
  const FailureCause cause = CauseOfFailure(
      "org.apache.spark.api.python.PythonException: Traceback (most recent call last):\n"
      "  File \"/opt/spark/python/lib/pyspark.zip/pyspark/worker.py\", line 830, in main\n"
      "    process()\n"
      "  File \"/home/me/job.py\", line 12, in parse\n"
      "    return int(row)\n"
      "ValueError: invalid literal for int() with base 10: 'x'\n"
      "\n"
      "\tat "
      "org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:572)\n");
  EXPECT_EQ(cause.text, "ValueError: invalid literal for int() with base 10: 'x'");
  EXPECT_EQ(cause.line, "parse (job.py:12)");
}

TEST(FailureCauseTest, TheCauseOfAJvmErrorIsTheInnermost) {
  const FailureCause cause = CauseOfFailure(
      "org.apache.spark.SparkException: Task failed while writing rows\n"
      "\tat org.apache.spark.sql.execution.Writer.write(Writer.scala:7)\n"
      "Caused by: java.lang.IllegalStateException: no such customer\n"
      "\tat com.example.Job$.lookUp(Job.scala:33)\n"
      "\tat com.example.Job$.run(Job.scala:20)\n");
  EXPECT_EQ(cause.text, "java.lang.IllegalStateException: no such customer");
  EXPECT_EQ(cause.line, "com.example.Job$.lookUp (Job.scala:33)");
}

TEST(FailureCauseTest, APythonWorkerThatCrashedIsTheCauseAndNotItsSocket) {
  EXPECT_EQ(CauseOfFailure("org.apache.spark.SparkException: Python worker exited unexpectedly (crashed). Consider "
                           "setting 'spark.python.worker.faulthandler.enabled' to 'true'.\n\tat x\n"
                           "Caused by: java.io.EOFException\n\tat y\n")
                .text,
            "Python worker exited unexpectedly (crashed)");
}

TEST(FailureCauseTest, AnErrorOfVeloxHasItsReason) {
  EXPECT_EQ(
      CauseOfFailure("org.apache.gluten.exception.GlutenException: Exception: VeloxRuntimeError\n"
                     "Error Code: INVALID_STATE\nReason: Operator::getOutput failed for [operator: TableScan]: x\n"
                     "Retriable: False\n")
          .text,
      "Velox: Operator::getOutput failed for [operator: TableScan]: x");
}

TEST(FailureCauseTest, AFailedFetchHasItsMessage) {
  EXPECT_EQ(
      CauseOfFailure("FetchFailed(BlockManagerId(1, h, 7, None), shuffleId=0, mapIndex=1, mapId=1, reduceId=0, "
                     "message=\norg.apache.spark.shuffle.FetchFailedException: Connection reset by peer\n\tat x\n)")
          .text,
      "FetchFailed: org.apache.spark.shuffle.FetchFailedException: Connection reset by peer");
}

TEST(FailureCauseTest, ALostExecutorOfKubernetesHasItsReason) {
  EXPECT_EQ(CauseOfFailure("ExecutorLostFailure (executor 1 exited) Reason: \nThe executor with id 1 exited with exit "
                           "code 137(SIGKILL, possible container OOM).\n\nThe API gave")
                .text,
            "ExecutorLostFailure (executor 1 exited) Reason: The executor with id 1 exited with exit code 137(SIGKILL, "
            "possible container OOM).");
  EXPECT_EQ(CauseOfFailure("ExecutorLostFailure (executor 1 exited) Reason: ").text,
            "ExecutorLostFailure (executor 1 exited) Reason: ");
}

TEST(FailureCauseTest, OtherReasonsAreTheirFirstLine) {
  EXPECT_EQ(CauseOfFailure("ExecutorLostFailure (executor 2 exited) Reason: gone\nmore").text,
            "ExecutorLostFailure (executor 2 exited) Reason: gone");
  EXPECT_EQ(CauseOfFailure("").text, "");
}

}  // namespace
}  // namespace sparkprof
