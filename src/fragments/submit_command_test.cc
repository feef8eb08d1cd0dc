// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/findings/failures/failure_report.h"
#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

std::string Titles(const std::string& text) {
  std::string titles;
  for (const Finding& finding : AnswerText(text).answers.findings) titles += finding.title + "\n";
  return titles;
}

TEST(SubmitCommandTest, TheContainerAndTheTasksAtOnceAreFacts) {
  const std::string text =
      "/opt/spark/bin/spark-submit --master yarn \\\n  --executor-memory 4G --num-executors 4 \\\n"
      "  --executor-cores 4 --driver-memory 8g --class a.B app.jar --trigger 60\n";
  EXPECT_EQ(
      Summary(AnswerText(text)),
      "A command of spark-submit: 4 executors of 4 cores and 4.4 GiB (4.0 GiB heap, 410 MiB overhead by default).\n"
      "16 tasks at once\n"
      "1.0 GiB of heap for each task of an executor that is busy\n"
      "8.0 GiB of heap for the driver\n"
      "Settings of spark-defaults.conf and of the program are not in the command\n");
  AnswerStartsOf(text);
}

TEST(SubmitCommandTest, AnOptionWinsOverConfAndTheLastOverTheFirst) {
  EXPECT_EQ(AnswerText("spark-submit --executor-memory 2g --conf spark.executor.memory=8g --conf "
                       "spark.executor.memoryOverhead=1g --conf spark.executor.memoryOverhead=2g a.py")
                .answers.verdict,
            "A command of spark-submit: executors of 4.0 GiB (2.0 GiB heap, 2.0 GiB overhead).");
}

TEST(SubmitCommandTest, OverheadIsThatOfTheClusterManager) {
  EXPECT_EQ(AnswerText("spark-submit --master spark://h:7077 --executor-memory 4g a.py\n").answers.verdict,
            "A command of spark-submit: executors of 4.0 GiB heap.");
  EXPECT_EQ(
      AnswerText("spark-submit --master k8s://h --deploy-mode cluster --executor-memory 5g a.py\n").answers.verdict,
      "A command of spark-submit: executors of 7.0 GiB (5.0 GiB heap, 2.0 GiB overhead by default).");
}

TEST(SubmitCommandTest, WordsThatSparkDoesNotGetAreFindings) {
  EXPECT_EQ(Titles("spark-submit --master yarn app.py --executor-memory 8g --input /data\n"),
            "--executor-memory stands behind the application\n");
  EXPECT_EQ(Titles("spark-submit --jars a.jar, b.jar --class a.B app.jar\n"),
            "--class stands behind the application\nA list of files has a blank behind a comma\n");
  EXPECT_EQ(Titles("spark-submit --master yarn \u2013conf a=b app.py\n"), "An option begins with a long dash\n");
  EXPECT_EQ(Titles("spark-submit --master yarn $OPTIONS <more> --class a.B app.jar\n"), "")
      << "what a variable has is unknown";
  EXPECT_EQ(Titles("spark-submit --conf spark.a app.py\n"), "A --conf has no \"=\"\n");
}

TEST(SubmitCommandTest, SettingsThatContradictEachOtherAreFindings) {
  const std::pair<std::string, std::string> cases[] = {
      {"--executor-memory 4", "spark.executor.memory=4 is 4.0 MiB\n"},
      {"--executor-memory 400m", "spark.executor.memory=400m is 400 MiB\n"},
      {"--driver-memory 4g --conf spark.driver.maxResultSize=1073741824", ""},
      {"--master local[4] --conf spark.dynamicAllocation.enabled=true",
       "Settings of executors have no effect with --master local[4]\n"},
      {"--master local[4] --num-executors 3", "Settings of executors have no effect with --master local[4]\n"},
      {"--conf spark.network.timeout=10000000", "spark.network.timeout=10000000 is 2777.8 h\n"},
      {"--conf spark.executor.heartbeatInterval=200s",
       "Executors report every 3.3 min, and are taken as lost after 2.0 min\n"},
      {"--conf spark.executor.heartbeatInterval=20000", ""},
      {"--conf 'spark.executor.extraJavaOptions=-Xmx4g -XX:+UseG1GC'", "-Xmx in spark.executor.extraJavaOptions\n"},
      {"--executor-cores 2 --conf spark.task.cpus=4", "A task needs 4 cores, and an executor has 2\n"},
      {"--conf spark.memory.offHeap.enabled=true", "Off-heap memory has no size\n"},
      {"--conf spark.dynamicAllocation.enabled=true", "Dynamic allocation has nothing that keeps shuffle data\n"},
      {"--conf spark.dynamicAllocation.enabled=true --conf spark.shuffle.service.enabled=true", ""},
      {"--driver-memory 2g --conf spark.driver.maxResultSize=4g",
       "spark.driver.maxResultSize=4g is no less than the driver's heap of 2.0 GiB\n"},
      {"--conf spark.streaming.kafka.maxRatePerPartition=25000",
       "spark.streaming.kafka.maxRatePerPartition limits only DStreams\n"},
  };
  for (const auto& [options, titles] : cases)
    EXPECT_EQ(Titles("spark-submit " + options + " a.py\n"), titles) << options;
}

TEST(SubmitCommandTest, AFailureBesideTheCommandIsNamed) {
  const FragmentAnswer answer = AnswerText(
      "$ spark-submit --master yarn s3://jobs/daily.py\n"
      "java.lang.ClassNotFoundException: Class org.apache.hadoop.fs.s3a.S3AFileSystem not found\n");
  ASSERT_FALSE(answer.answers.findings.empty());
  EXPECT_EQ(answer.answers.findings[0].failure->failure->id, "filesystem-s3");
}

}  // namespace
}  // namespace sparkprof
