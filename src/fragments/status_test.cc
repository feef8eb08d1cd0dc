// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/findings/failures/failure_report.h"
#include "base/time.h"
#include "fragments/fragment_readers.h"
#include "fragments/testing/answer_text.h"

namespace sparkprof {
namespace {

using testing::AnswerStartsOf;
using testing::AnswerText;
using testing::Summary;

TEST(StatusTest, StagesOfTheRestApi) {
  const std::string text =
      R"([{"status":"FAILED","stageId":4,"attemptId":1,"numTasks":8,"failureReason":"Job aborted due to stage failure: Task 3 in stage 4.1 failed 4 times, most recent failure: Lost task 3.3 in stage 4.1 (TID 97) (h2 executor 5): java.io.IOException: token=abcdefgh12345678 refused"},)"
      R"({"status":"COMPLETE","stageId":3,"attemptId":0,"numTasks":8}])";
  const FragmentAnswer answer = AnswerText(text);
  EXPECT_EQ(Summary(answer),
            "An answer of Spark's REST API: stages: 1 COMPLETE, 1 FAILED.\n"
            "failed-work: Stage 4.1: java.io.IOException: token=*********(redacted) refused\n");
  EXPECT_TRUE(answer.answers.findings[0].is_failure);
  AnswerStartsOf(text);
}

TEST(StatusTest, ExecutorsThatSparkWantedToRemoveAreNoFailure) {
  EXPECT_EQ(
      Summary(AnswerText(
          R"([{"id":"1","hostPort":"h:1","isActive":false,"removeReason":"Container killed by YARN for exceeding memory limits"},)"
          R"({"id":"2","hostPort":"h:1","isActive":false,"removeReason":"Executor killed by driver."}])")),
      "An answer of Spark's REST API: executors: 2 removed.\n"
      "oom: Executor 1: the processes of the container held more memory than its limit, so YARN killed it\n");
}

TEST(StatusTest, JobsAndApplicationsOfTheRestApi) {
  EXPECT_EQ(
      Summary(AnswerText(
          R"([{"jobId":1,"status":"FAILED","stageIds":[1],"numFailedTasks":4},{"jobId":0,"status":"SUCCEEDED","stageIds":[0]}])")),
      "An answer of Spark's REST API: jobs: 1 FAILED, 1 SUCCEEDED.\nfailed-work: Job 1: 4 tasks failed\n");
  EXPECT_EQ(Summary(AnswerText(R"([{"id":"app-1","name":"etl","attempts":[{"sparkUser":"me","completed":true}]}])")),
            "An answer of Spark's REST API: applications: 1 completed.\n");
}

TEST(StatusTest, BatchesAndStatementsOfLivy) {
  EXPECT_EQ(
      Summary(AnswerText(
          R"({"id":3,"state":"dead","appId":"application_1790000000000_0042","appInfo":{},"log":["stdout: ","Exception in thread \"main\" java.lang.RuntimeException: x","Caused by: java.net.ConnectException: refused"]})")),
      "An answer of Livy: batches: 1 dead.\nfailure: Batch 3: java.net.ConnectException: refused\n");
  EXPECT_EQ(
      Summary(AnswerText(
          R"({"id":1,"code":"x","state":"available","output":{"status":"error","execution_count":1,"ename":"NameError","evalue":"name 'x' is not defined"}})")),
      "An answer of Livy: statements: 1 available.\nfailure: Statement 1: NameError: name 'x' is not defined\n");
}

TEST(StatusTest, SparkApplicationsAsYamlJsonAndDescription) {
  const std::string expected =
      "A SparkApplication of Kubernetes: applications: 1 FAILED; executors: 1 FAILED.\n"
      "failure: Application etl: driver container failed with ExitCode: 1, Reason: Error\n";
  const std::string yaml =
      "apiVersion: sparkoperator.k8s.io/v1beta2\nkind: SparkApplication\nmetadata:\n  name: etl\nspec:\n  driver:\n    "
      "cores: 1\n"
      "status:\n  applicationState:\n    errorMessage: 'driver container failed with ExitCode: 1, Reason: Error'\n    "
      "state: FAILED\n"
      "  executorState:\n    etl-exec-1: FAILED\n";
  EXPECT_EQ(Summary(AnswerText(yaml)), expected);
  EXPECT_EQ(
      Summary(AnswerText(
          "Name:         etl\nAPI Version:  sparkoperator.k8s.io/v1beta2\nKind:         SparkApplication\nStatus:\n"
          "  Application State:\n    Error Message:  driver container failed with ExitCode: 1, Reason: Error\n"
          "    State:          FAILED\n  Executor State:\n    etl-exec-1:  FAILED\n")),
      expected);
  EXPECT_EQ(
      Summary(AnswerText(
          R"({"kind":"SparkApplication","metadata":{"name":"etl"},"status":{"applicationState":{"state":"COMPLETED"}}})")),
      "A SparkApplication of Kubernetes: applications: 1 COMPLETED.\n");
  AnswerStartsOf(yaml);
}

TEST(StatusTest, TheLogOfTheSparkOperator) {
  const std::string text =
      "2026-11-28T07:00:01.123Z\tINFO\tsparkapplication/controller.go:171\tReconciling SparkApplication\t{\"name\": "
      "\"etl\", \"state\": \"RUNNING\"}\n"
      "2026-11-28T07:00:02.123Z\tERROR\tsparkapplication/controller.go:260\tFailed to submit "
      "SparkApplication\t{\"name\": \"etl\", \"error\": \"failed to run "
      "spark-submit: driver pod already exist\"}\n"
      "2026-11-28T07:00:03.123Z\tINFO\tsparkapplication/event_handler.go:188\tSparkApplication updated\t{\"name\": "
      "\"etl\", \"oldState\": \"NEW\", "
      "\"newState\": \"SUBMISSION_FAILED\"}\n";
  EXPECT_EQ(Summary(AnswerText(text)),
            "A log of the Spark Operator: 1 SUBMISSION_FAILED.\n"
            "failure: Application etl: a pod of that name exists already, of an earlier run of the job\n");
  AnswerStartsOf(text);
}

TEST(StatusTest, DescriptionsOfPods) {
  const std::string text =
      "Name:             etl-exec-1\nNamespace:        jobs\nStatus:           Failed\nContainers:\n"
      "  spark-kubernetes-executor:\n    State:          Terminated\n      Reason:       OOMKilled\n      Exit Code:   "
      " 137\n"
      "    Limits:\n      memory:  2Gi\nConditions:\n  Type   Status\n  Ready  False\nQoS Class:  Burstable\nEvents:\n"
      "  Type     Reason            Age                 From               Message\n"
      "  ----     ------            ----                ----               -------\n"
      "  Warning  FailedScheduling  3m12s (x4 over 5m)  default-scheduler  0/3 nodes are available: 3 Insufficient "
      "memory.\n";
  EXPECT_EQ(Summary(AnswerText(text)),
            "A description of a pod (kubectl describe): etl-exec-1 is Failed.\n"
            "spark-kubernetes-executor: state Terminated, OOMKilled, exit code 137\n"
            "spark-kubernetes-executor: limit of memory 2Gi\n"
            "Pod etl-exec-1, which started: FailedScheduling: 0/3 nodes are available: 3 Insufficient memory.\n"
            "oom: Container spark-kubernetes-executor: the container exceeded its memory limit, so the kernel "
            "killed it (OOMKilled)\n");
  AnswerStartsOf(text);
}

TEST(StatusTest, TablesOfKubectl) {
  EXPECT_EQ(Summary(AnswerText(
                "LAST SEEN   TYPE      REASON    OBJECT           MESSAGE\n"
                "3m12s       Normal    Pulled    pod/etl-exec-1   Container image already present\n"
                "2m          Warning   Evicted   pod/etl-exec-1   The node was low on resource: ephemeral-storage.\n")),
            "A list of events of Kubernetes (kubectl get events): 1 Normal, 1 Warning.\n"
            "failure: pod/etl-exec-1: Shuffle and spill files filled the node's disk or the pod's limit\n");
  const FragmentAnswer events = AnswerText(
      "LAST SEEN   TYPE      REASON        OBJECT           MESSAGE\n"
      "3m          Warning   Evicted       pod/etl-exec-1   The node was low on resource: ephemeral-storage. Threshold "
      "quantity: 8Gi, available: 7Gi. Container spark-kubernetes-executor was using 40Gi, request is 0\n"
      "3m          Warning   Evicted       pod/etl-exec-2   The node was low on resource: ephemeral-storage.\n"
      "2m          Warning   FailedMount   pod/etl-exec-3   MountVolume.SetUp failed for volume \"v\" : timed out\n"
      "2m          Normal    Started       pod/etl-exec-3   Started container\n"
      "2m          Warning   Rebooted      node/h1          Node h1 has been rebooted\n");
  ASSERT_EQ(events.answers.findings.size(), 1u) << Summary(events);
  const Finding& evicted = events.answers.findings.front();
  EXPECT_EQ(evicted.what, "Failed: pod/etl-exec-1, pod/etl-exec-2");
  EXPECT_NE(evicted.change.find("sizeLimit=53248Mi"), std::string::npos) << evicted.change;
  EXPECT_EQ(events.facts, (std::vector<std::string>{
                              "pod/etl-exec-3, which started: FailedMount: MountVolume.SetUp failed for volume \"v\" : "
                              "timed out",
                              "node/h1: Rebooted: Node h1 has been rebooted"}));
  EXPECT_EQ(Summary(AnswerText("NAME         READY   STATUS      RESTARTS     AGE\n"
                               "etl-driver   1/1     Running     0            5m\n"
                               "etl-exec-1   0/1     OOMKilled   3 (5m ago)   4m\n")),
            "A list of pods (kubectl get pods): 1 OOMKilled, 1 Running.\n"
            "oom: Pod etl-exec-1: the container exceeded its memory limit, so the kernel killed it (OOMKilled)\n");
}

TEST(StatusTest, EventsBelowAListOfPodsAreNoPods) {
  const FragmentAnswer answer = AnswerText(
      "NAME         READY   STATUS    RESTARTS   AGE\n"
      "etl-exec-1   0/1     Pending   0          9m\n\n"
      "$ kubectl describe pod etl-exec-1 | tail -5\n"
      "Events:\n"
      "  Type     Reason            Age   From               Message\n"
      "  ----     ------            ----  ----               -------\n"
      "  Warning  FailedScheduling  4s    default-scheduler  0/3 nodes are available: 3 Insufficient cpu.\n");
  EXPECT_EQ(answer.answers.verdict, "A list of pods (kubectl get pods): 1 Pending; events: 1 Warning.");
  ASSERT_EQ(answer.answers.findings.size(), 1u) << Summary(answer);
  EXPECT_TRUE(answer.answers.findings[0].title.starts_with("A pod: no node has room for the pod"))
      << answer.answers.findings[0].title;
}

TEST(StatusTest, StatusOfYarn) {
  const std::string text =
      "Application Report : \n\tApplication-Id : application_1790000000000_0042\n\tApplication-Name : "
      "etl\n\tStart-Time : 1790000000000\n"
      "\tFinish-Time : 1790000060000\n\tState : FINISHED\n\tFinal-State : FAILED\n"
      "\tAggregate Resource Allocation : 123456 MB-seconds, 78 vcore-seconds\n\tDiagnostics : User class threw "
      "exception: "
      "java.lang.IllegalStateException: no data\n\tat com.example.Job.run(Job.scala:7)\n";
  const FragmentAnswer answer = AnswerText(text);
  EXPECT_EQ(Summary(answer),
            "An application's status in YARN (yarn application -status): application_1790000000000_0042 is FINISHED, "
            "final state FAILED.\n"
            "Ran for 60.0 s\n"
            "Used 123456 MB-seconds, 78 vcore-seconds\n"
            "failure: Application application_1790000000000_0042: java.lang.IllegalStateException: no data\n");
  AnswerStartsOf(text);
}

TEST(StatusTest, TheWordsOfAQuestionAreNoException) {
  const FragmentAnswer answer = AnswerText(
      "I get this since Monday\n\ncom.acme.BadThing: no way\n    at com.acme.X.y(X.java:3)\n    at a.B.c(B.java:1)\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u) << Summary(answer);
  EXPECT_EQ(answer.answers.findings[0].title, "The program or a task: com.acme.BadThing: no way");
}

TEST(StatusTest, AStackTraceHasItsCauseAndYourLine) {
  const FragmentAnswer answer = AnswerText(
      "org.apache.spark.SparkException: Job aborted due to stage failure: Task 3 in stage 4.0 failed 4 times, most "
      "recent failure: Lost task "
      "3.3 in stage 4.0 (TID 97) (h2 executor 5): java.lang.IllegalStateException: bad row, password=hunter2xyz\n"
      "\tat com.example.Job.parse(Job.scala:12)\n\tat org.apache.spark.scheduler.Task.run(Task.scala:1)\n");
  EXPECT_EQ(
      Summary(answer),
      "A stack trace: java.lang.IllegalStateException: bad row, password=*********(redacted).\n"
      "Task 3 in stage 4.0 failed 4 times, most recent failure: Lost task 3.3 in stage 4.0 (TID 97) (h2 executor 5)\n"
      "Your code: com.example.Job.parse (Job.scala:12)\n"
      "failed-work: A task: java.lang.IllegalStateException: bad row, password=*********(redacted)\n");
}

TEST(IndentedTextTest, PathsFollowTheIndentation) {
  const IndentedText text("a:\n  b: 1\n  c: |\n    two\n    lines: x\n  Exit Code:  3\nd:\n- e: 4\n");
  EXPECT_EQ(text.At("a.b"), "1");
  EXPECT_EQ(text.At("a.c"), "two\nlines: x");
  EXPECT_EQ(text.At("a.exitCode"), "3");
  EXPECT_EQ(text.At("d.e"), "4");
  EXPECT_EQ(text.At("a.x"), "");
}

TEST(StatusTest, ApplicationsOfYarnsRestApi) {
  const std::string text =
      R"({"app":{"id":"application_1_1","state":"FAILED","finalStatus":"FAILED","startedTime":1000,"finishedTime":61000,)"
      R"("diagnostics":"Application application_1_1 submitted by user x to unknown queue: y"}})";
  const std::string summary = Summary(AnswerText(text));
  EXPECT_TRUE(
      summary.starts_with("An answer of YARN's REST API: applications: 1 FAILED.\nRan for 60.0 s\n"
                          "failure: Application application_1_1: YARN refused the application"))
      << summary;
  AnswerStartsOf(text);
  EXPECT_EQ(
      Summary(AnswerText(
          R"({"apps":{"app":[{"id":"a_1","state":"ACCEPTED","finalStatus":"UNDEFINED","diagnostics":"waits"},{"id":"a_2","state":"RUNNING","finalStatus":"UNDEFINED","diagnostics":""}]}})")),
      "An answer of YARN's REST API: applications: 1 ACCEPTED, 1 RUNNING.\nwaits\n"
      "waiting-for-executors: a_1 waits in its queue for its application master\n");
}

TEST(StatusTest, AnApplicationThatWaitsHasWhatRunsInItsQueue) {
  const std::string list =
      "Total number of applications (states: [SUBMITTED, ACCEPTED, RUNNING]):3\n"
      "      Application-Id\t Application-Name\t Application-Type\t User\t Queue\t State\t Final-State\t Progress\n"
      "application_1_6\t shell\t SPARK\t a\t default\t RUNNING\t UNDEFINED\t 10%\n"
      "application_1_5\t other\t SPARK\t a\t batch\t RUNNING\t UNDEFINED\t 10%\n"
      "application_1_7\t etl\t SPARK\t b\t default\t ACCEPTED\t UNDEFINED\t 0%\n";
  const FragmentAnswer of_list = AnswerText(list);
  EXPECT_EQ(Summary(of_list),
            "A list of YARN's applications (yarn application -list): 1 ACCEPTED, 2 RUNNING.\n"
            "waiting-for-executors: application_1_7 waits in the queue default for its application master\n");
  EXPECT_EQ(of_list.answers.findings[0].evidence, "In the same queue runs 1 application: application_1_6 (shell)");
  AnswerStartsOf(list);
  const FragmentAnswer of_rest = AnswerText(
      R"({"apps":{"app":[{"id":"a_1","state":"RUNNING","queue":"q","finalStatus":"UNDEFINED","diagnostics":"","allocatedMB":22528,"runningContainers":8,"queueUsagePercentage":100.0},)"
      R"({"id":"a_2","state":"ACCEPTED","queue":"q","finalStatus":"UNDEFINED","diagnostics":"","allocatedMB":-1,"runningContainers":-1}]}})");
  ASSERT_EQ(of_rest.answers.findings.size(), 1u);
  EXPECT_EQ(of_rest.answers.findings[0].evidence,
            "In the same queue runs 1 application: a_1 (8 containers, 22.0 GiB, 100.0% of the queue)");
}

TEST(StatusTest, TheFirstFindingHasTheFacts) {
  const FragmentAnswer answer = AnswerText(
      R"({"app":{"id":"a_1","state":"FAILED","finalStatus":"FAILED","startedTime":1000,"finishedTime":61000,"diagnostics":"User class threw exception: java.io.IOException: x"}})");
  ASSERT_FALSE(answer.answers.findings.empty());
  EXPECT_EQ(answer.answers.findings.front().facts, std::vector<std::string>{"Ran for 60.0 s"});
}

TEST(StatusTest, AMessageInJsonOfAnyPlatformIsNamed) {
  const std::string cluster =
      R"({"cluster_id": "0611", "state": "TERMINATED", "termination_reason": {"code": "AWS_INSUFFICIENT_INSTANCE_CAPACITY_FAILURE", "type": "CLOUD_FAILURE", "parameters": {"aws_error_message": "We currently do not have sufficient i3.2xlarge capacity in the zone."}}})";
  EXPECT_EQ(Summary(AnswerText(cluster)),
            "A message in JSON, as of a platform's API: We currently do not have sufficient i3.2xlarge capacity in the "
            "zone.\n"
            "States: 1 AWS_INSUFFICIENT_INSTANCE_CAPACITY_FAILURE, 1 TERMINATED\n"
            "failure: A job or its cluster: the cloud has no machine of that type left in the zone\n");
  AnswerStartsOf(cluster);
  EXPECT_EQ(
      Summary(AnswerText(
          R"({"Step": {"Status": {"State": "FAILED", "FailureDetails": {"Reason": "odd", "LogFile": "s3://l/stderr.gz"}}}})")),
      "A message in JSON, as of a platform's API: odd.\nStates: 1 FAILED\nfailure: A job or its cluster: odd\n");
  EXPECT_EQ(Summary(AnswerText(R"({"state": "RUNNING", "message": "all is well"})")),
            "A message in JSON, as of a platform's API: all is well.\nStates: 1 RUNNING\n");
}

TEST(StatusTest, ADescribedPodHasNumbersAndPlaceOfItsFailure) {
  const FragmentAnswer answer = AnswerText(
      "Name:  etl-exec-1\nNode:  h7.ec2.internal/10.0.0.7\nStatus:  Failed\nContainers:\n  spark-kubernetes-executor:\n"
      "    State:  Terminated\n      Reason:  OOMKilled\n      Exit Code:  137\n"
      "      Finished:  Sat, 28 Nov 2026 08:00:01 +0100\n    Limits:\n      memory:  9011Mi\n    Environment:\n"
      "      SPARK_EXECUTOR_MEMORY:  8192m\n      SPARK_JAVA_OPT_0:  -XX:MaxDirectMemorySize=4g\nQoS Class:  "
      "Burstable\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u) << Summary(answer);
  const Finding& finding = answer.answers.findings[0];
  ASSERT_NE(finding.failure, nullptr);
  EXPECT_EQ(finding.failure->remedy.front().value, "1229m") << "half as much again as 819 MiB";
  ASSERT_EQ(finding.failure->chain.size(), 1u);
  EXPECT_EQ(finding.failure->chain[0].host, "h7.ec2.internal");
  EXPECT_EQ(FormatTimestamp(finding.failure->chain[0].at_ns), "2026-11-28T07:00:01.000Z");
  EXPECT_NE(Summary(answer).find("-XX:MaxDirectMemorySize=4.0 GiB allows more than the 819 MiB"), std::string::npos)
      << Summary(answer);
}

TEST(StatusTest, TheMemoryOfAnApplicationMasterIsThatOfTheDriver) {
  const FragmentAnswer answer = AnswerText(
      "Application Report : \n\tApplication-Id : application_1_0099\n\tState : FAILED\n\tFinal-State : FAILED\n"
      "\tDiagnostics : Application application_1_0099 failed 1 times due to AM Container for appattempt_1_0099_000001 "
      "exited with  exitCode: -104\nFailing this attempt.Diagnostics: Container [pid=8,containerID=container_1_0099_01"
      "_000001] is running 104857600B beyond the 'PHYSICAL' memory limit. Current usage: 1.6 GB of 1.5 GB physical "
      "memory used; 4.1 GB of 3.1 GB virtual memory used. Killing container.\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].failure->remedy[0].setting, "spark.driver.memoryOverhead");
}

TEST(StatusTest, APodThatWasEvictedDidNotLoseItsNode) {
  const FragmentAnswer answer = AnswerText(
      "Name:         q-exec-3\nStatus:       Failed\nReason:       Evicted\n"
      "Message:      The node was low on resource: memory. Threshold quantity: 100Mi, available: 62388Ki. Container "
      "spark-kubernetes-executor was using 7012340Ki, request is 4505Mi, has larger consumption of memory. \n"
      "Containers:\n  spark-kubernetes-executor:\n    State:          Terminated\n"
      "      Reason:       ContainerStatusUnknown\n      Exit Code:    137\nConditions:\n");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].failure->failure->id, "k8s-node-memory");
}

TEST(StatusTest, AnErrorConditionInJsonIsNamed) {
  const FragmentAnswer answer = AnswerText(R"({"errorClass": "DIVIDE_BY_ZERO", "sqlState": "22012"})");
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_EQ(answer.answers.findings[0].failure->failure->id, "divide-by-zero");
}

TEST(StatusTest, WhatAPodOvercameIsNoFailure) {
  const FragmentAnswer answer = AnswerText(
      "$ kubectl describe pod etl-driver\n...\nStatus:  Succeeded\nContainers:\n  spark-kubernetes-driver:\n    State: "
      " "
      "Terminated\n      Reason:  Completed\n      Exit Code:  0\nEvents:\n"
      "  Warning  FailedMount  21m (x2 over 21m)  kubelet  MountVolume.SetUp failed for volume \"v\" : configmap \"c\" "
      "not "
      "found\n");
  EXPECT_EQ(
      Summary(answer),
      "A description of a pod (kubectl describe): it is Succeeded.\n"
      "spark-kubernetes-driver: state Terminated, Completed, exit code 0\n"
      "The pod, which started: FailedMount: MountVolume.SetUp failed for volume \"v\" : configmap \"c\" not found\n");
}

TEST(StatusTest, ManyFailedPodsAreNamedInPart) {
  std::string table = "LAST SEEN   TYPE      REASON    OBJECT           MESSAGE\n";
  for (int pod = 0; pod < 2'000; ++pod) {
    table += fmt::format(
        "2m   Warning   Evicted   pod/etl-exec-{}   The node was low on resource: ephemeral-storage.\n", pod);
  }
  const FragmentAnswer answer = AnswerText(table);
  ASSERT_EQ(answer.answers.findings.size(), 1u);
  EXPECT_LT(answer.answers.findings.front().what.size(), 5'000u);
  EXPECT_TRUE(answer.answers.findings.front().what.ends_with(", …"));
}

}  // namespace
}  // namespace sparkprof
