// SPDX-License-Identifier: Apache-2.0
#include "inputs/fragment_kind.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "inputs/content_kind.h"

namespace sparkprof {
namespace {

constexpr char kLog[] = "26/11/28 07:00:01 INFO SparkContext: Running Spark version 4.1.1\n";

TEST(FragmentKindTest, KindsAreRecognizedByTheirContent) {
  const std::pair<std::string, FragmentKind> texts[] = {
      {"[1.0s][info][gc,start    ] GC(0) Pause Young (Normal)\n", FragmentKind::kGcLog},
      {"[2026-11-28T07:00:01.123+0000][1ms] GC(7) Pause Remark 1M->1M(4M) 0.1ms\n", FragmentKind::kGcLog},
      {"2026-11-28T07:00:01.123+0000: 1.234: [GC (Allocation Failure) 1K->1K(2K), 0.1 secs]\n", FragmentKind::kGcLog},
      {"[Full GC [PSYoungGen: 1K->0K(2K)] 3K->2K(4K), 0.1 secs]\n", FragmentKind::kGcLog},
      {" num     #instances         #bytes  class name (module)\n", FragmentKind::kHeapHistogram},
      {"   1:  5  80  [B\n   2:  4  60  [C\n   3:  3  40  A\n", FragmentKind::kHeapHistogram},
      {"Full thread dump OpenJDK 64-Bit Server VM\n\"main\" #1 prio=5 tid=0x1 nid=0x1 runnable\n\tat a.B.c(B.java:1)\n",
       FragmentKind::kThreadDump},
      {"#\n# A fatal error has been detected by the Java Runtime Environment:\n", FragmentKind::kCrashReport},
      {"[91.8] java invoked oom-killer: gfp_mask=0xd0, order=0\n", FragmentKind::kKernelLog},
      {"kernel: Memory cgroup out of memory: Killed process 7 (java) total-vm:1kB\n", FragmentKind::kKernelLog},
      {"== Physical Plan ==\n*(1) Range (0, 10)\n", FragmentKind::kExplainPlan},
      {"+- Exchange hashpartitioning(id#0L, 200)\n", FragmentKind::kExplainPlan},
      {"{\"id\":\"q\",\"runId\":\"r\",\"batchId\":1,\"numInputRows\":1}", FragmentKind::kStreamingProgress},
      {"{'id': 'q', 'runId': 'r', 'batchId': 1, 'durationMs': {}}", FragmentKind::kStreamingProgress},
      {"[{\"jobId\":1,\"stageIds\":[1],\"status\":\"FAILED\"}]", FragmentKind::kRestAnswer},
      {"{\"id\":1,\"state\":\"dead\",\"appInfo\":{},\"log\":[]}", FragmentKind::kLivyAnswer},
      {"apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\n", FragmentKind::kSparkApplication},
      {"I1128 07:00:01.123456      10 controller.go:185] SparkApplication jobs/etl was updated\n",
       FragmentKind::kOperatorLog},
      {"Name:  etl\nContainers:\n  a:\n    State:  Running\nQoS Class:  Burstable\n", FragmentKind::kPodDescription},
      {"LAST SEEN   TYPE      REASON    OBJECT   MESSAGE\n", FragmentKind::kEventList},
      {"NAME   READY   STATUS   RESTARTS   AGE\n", FragmentKind::kPodList},
      {"Application Report : \n\tApplication-Id : application_1_1\n\tFinal-State : FAILED\n",
       FragmentKind::kYarnStatus},
      {"Total: 1\n   Application-Id\t Application-Name\t Queue\t State\t Final-State\n", FragmentKind::kYarnList},
      {"$ /opt/spark/bin/spark-submit --master yarn app.jar\n", FragmentKind::kSubmitCommand},
      {"spark-submit \\\n  --class a.B app.jar\n", FragmentKind::kSubmitCommand},
      {"Summary Metrics for 3 Completed Tasks\nMetric\tMin\n", FragmentKind::kWebPage},
      {"Job Id | Description | Submitted | Duration\n", FragmentKind::kWebPage},
      {"java.io.IOException: x\n    at a.B.c(B.java:1)\n", FragmentKind::kStackTrace},
      {"Traceback (most recent call last):\n", FragmentKind::kStackTrace},
      {"{\n  \"result\": {\n    \"message\": \"java.io.IOException: x\\n\\tat a.B.c(B.java:1)\"\n  }\n}\n",
       FragmentKind::kStackTrace},
  };
  for (const auto& [text, kind] : texts) {
    const ContentKind content = DetectContent(text, /*log_name=*/true);
    ASSERT_NE(content.fragment, nullptr) << text;
    EXPECT_EQ(content.fragment->name, TypeOf(kind).name) << text;
    // Lines of a log around a fragment are a log.
    const ContentKind log = DetectContent(kLog + text, /*log_name=*/true);
    EXPECT_EQ(log.kind, InputKind::kTextLog) << text;
    EXPECT_EQ(log.fragment, nullptr) << text;
  }
}

TEST(FragmentKindTest, ALogOfAnyLayoutWithATraceIsALog) {
  const std::string trace = "java.lang.IllegalStateException: x\n\tat a.B.c(B.java:1)\n";
  for (const std::string& before :
       {std::string("[28-Nov-2026 07.00.01] {main} Running Spark version 4.1.1\n"
                    "[28-Nov-2026 07.00.02] {main} Submitted application: etl\n"),
        std::string("[2026-11-28, 07:00:01 UTC] {pod.py:11} ERROR - Task failed with exception\n")}) {
    const ContentKind log = DetectContent(before + trace, /*log_name=*/false);
    EXPECT_EQ(log.kind, InputKind::kTextLog) << before;
    EXPECT_EQ(log.fragment, nullptr) << before;
  }
  // A question may quote one such line.
  EXPECT_NE(DetectContent("I am Running Spark version 4.1.1\n" + trace, /*log_name=*/true).fragment, nullptr);
}

TEST(FragmentKindTest, OtherTextIsNone) {
  for (const std::string text :
       {"Pi is roughly 3.14\n", "1: 2 3 apples\n", "{\"a\":1}", "{\"a\":\"no Exception: x\"}", "GC(x) y\n", "Name: x\n",
        "{\"Event\":\"SparkListenerLogStart\",\"Spark Version\":\"4.1.1\"}\n"}) {
    EXPECT_EQ(DetectContent(text, /*log_name=*/true).fragment, nullptr) << text;
  }
}

TEST(FragmentKindTest, ScriptsInAFolderOfLogsAreNone) {
  const std::string script = "spark-submit --master yarn app.jar\n";
  EXPECT_EQ(DetectContent(script, /*log_name=*/false).fragment, nullptr);
  EXPECT_EQ(DetectContent("spark-submit runs jobs; see --conf in its help\n", /*log_name=*/true).fragment, nullptr);
}

TEST(FragmentKindTest, EveryKindSaysWhatItAnswersAndWhatAnswersMore) {
  for (const FragmentType& type : FragmentTypes()) {
    EXPECT_EQ(&TypeOf(type.kind), &type);
    EXPECT_FALSE(type.answers.empty()) << type.name;
    EXPECT_FALSE(type.more.empty()) << type.name;
  }
}

TEST(FragmentKindTest, ASingleMessageIsNoProfileAndNoDocument) {
  for (const std::string_view text :
       {"org.apache.spark.sql.AnalysisException: Table or view not found: shop.orders; line 1 pos 14\n",
        "<console>:24: error: not found: value spark\n"}) {
    const ContentKind content = DetectContent(text, /*log_name=*/false);
    EXPECT_NE(content.kind, InputKind::kProfile) << text;
    EXPECT_EQ(content.problem.find("document"), std::string_view::npos) << text;
  }
}

}  // namespace
}  // namespace sparkprof
