// SPDX-License-Identifier: Apache-2.0
// Rules for lost work: failed-work, lost-executors and lost-driver.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/findings/failures/failure_report.h"
#include "analysis/testing/finding_test.h"
#include "model/driver_end.h"

namespace sparkprof {
namespace {

class FailureRulesTest : public StageFindingTest {};

TEST_F(FailureRulesTest, WorkThatFailedSaysWhyAndWhatItCost) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
    if (tid > 1) continue;
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = application().profile.strings.Intern("java.io.IOException: disk is full\n\tat Job.map");
  }
  const Finding finding = Found("failed-work-3.0");
  EXPECT_EQ(finding.selection.tasks, (std::vector<int64_t>{0, 1}));
  EXPECT_NE(finding.evidence.find("2 tasks failed with java.io.IOException: disk is full"), std::string::npos);
  EXPECT_EQ(finding.evidence.find("Job.map"), std::string::npos);
}

TEST_F(FailureRulesTest, AnExcerptOfLogsClaimsNoShares) {
  for (int64_t tid = 0; tid < 2; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
  tasks().outcome[0] = TaskOutcome::kFailed;
  tasks().reason[0] = application().profile.strings.Intern("java.io.IOException: disk is full");
  application().losses.push_back({std::string(kExcerptLoss), "6 of at least 8 tasks", 6});
  const Finding finding = Found("failed-work-3.0");
  EXPECT_TRUE(finding.title.starts_with("Stage 3: at least 1 task attempt failed and ran again: ")) << finding.title;
  EXPECT_TRUE(finding.evidence.starts_with("at least 20.0 s of task time lost")) << finding.evidence;
  const Answers answers = Answer(application());
  EXPECT_TRUE(answers.verdict.starts_with(
      "The logs are an excerpt: they lack 6 of at least 8 tasks, so idle times and shares of time are unknown."))
      << answers.verdict;
  EXPECT_TRUE(answers.time_spent.parts.empty());
  ASSERT_EQ(answers.accounted->account.wall.size(), 1u);
  EXPECT_EQ(answers.accounted->account.wall.front().part, AccountPart::kUnknown);
  EXPECT_EQ(answers.accounted->Core(), std::nullopt);
}

TEST_F(FailureRulesTest, ExecutorsThatAloneFailTasksAreNamed) {
  const int32_t other = builder_.AddExecutor("2", 2);
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, tid < 2 ? executor_ : other, 0, 20, 19);
    if (tid > 1) continue;
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = application().profile.strings.Intern("java.io.IOException: disk is full");
  }
  const Finding finding = Found("failed-work-3.0");
  EXPECT_NE(finding.evidence.find("all on executor 1, where no task of the stage succeeded"), std::string::npos);
  EXPECT_TRUE(finding.change.starts_with("Check these executors and their hosts first")) << finding.change;
}

TEST_F(FailureRulesTest, AnExceptionOfTheNetworkAsksForNoChangeOfTheCode) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] =
        application().profile.strings.Intern("java.net.ProtocolException: x\n\tat com.example.Job.map");
  }
  const std::string change = Found("failed-work-3.0").change;
  EXPECT_TRUE(change.starts_with("Correct what the error names")) << change;
}

TEST_F(FailureRulesTest, AnExceptionThatEndedTheDriversProgramIsTheFailure) {
  for (int64_t tid = 0; tid < 4; ++tid) builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
  const std::string begin =
      "Python process 17: the driver's program ended: Traceback (most recent call last):\n"
      "  File \"/jobs/load.py\", line 7, in main\n    read()\n";
  application().notices.push_back({executor_, {ApplicationBuilder::Time(29), NoticeLevel::kInformation, ""}});
  std::string& text = application().notices[0].notice.text;
  text = begin + "pyspark.errors.AnalysisException: [PATH_NOT_FOUND] Path does not exist: s3a://b/x. SQLSTATE: 42K03";
  EXPECT_EQ(Found("failure").title, "The driver's program failed: the input path s3a://b/x does not exist");
  text = begin + "tenants.UnknownTenant: no tenant 7";
  EXPECT_EQ(Found("failure").title, "An error in the driver's program: tenants.UnknownTenant: no tenant 7");
}

TEST_F(FailureRulesTest, AStageThatSparkEndsByItselfHasItsOwnReason) {
  Stage& stage = application().stages[static_cast<size_t>(stage_)];
  stage.status = RunStatus::kFailed;
  stage.failure =
      "Job aborted due to stage failure: Serialized task 0:0 was 3009939 bytes, which exceeds max allowed: "
      "spark.rpc.message.maxSize (1048576 bytes). Consider increasing spark.rpc.message.maxSize";
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 40);
  tasks().outcome[row] = TaskOutcome::kFailed;
  tasks().reason[row] = application().profile.strings.Intern(
      "ExecutorLostFailure (executor 1 exited unrelated to the running tasks) Reason: Command exited with code 143");
  const Finding finding = Found("failed-work-3.0");
  ASSERT_TRUE(finding.failure);
  EXPECT_EQ(finding.failure->failure->id, "rpc-message-size");
  EXPECT_TRUE(finding.title.starts_with("Stage 3 failed: Job aborted due to stage failure: Serialized task 0:0 was"));
}

TEST_F(FailureRulesTest, AnExceptionIsNamedInsteadOfTheMessageThatCarriesIt) {
  builder_.AddJob(0, {3});
  application().jobs[0].status = RunStatus::kFailed;
  application().jobs[0].failure =
      "Job aborted due to stage failure: Task 0 in stage 3.0 failed 4 times, most recent failure: Lost task 0.3 in "
      "stage 3.0 (TID 3): com.example.BadRowException: no key\n\tat com.example.Job.run(Job.scala:7)";
  const Finding finding = Found("failure");
  EXPECT_EQ(finding.title, "Job 0 failed: com.example.BadRowException: no key");
  EXPECT_EQ(finding.evidence, "com.example.BadRowException: no key; then: job 0 failed; the application ended");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"com.example.Job.run (Job.scala:7)"});
}

TEST_F(FailureRulesTest, AnExceptionWhoseRowNamesItsKindIsQuotedWithWhatRaisedIt) {
  builder_.AddJob(0, {3});
  application().jobs[0].status = RunStatus::kFailed;
  application().jobs[0].failure =
      "java.lang.IllegalArgumentException: requirement failed: too few\n\tat scala.Predef$.require(Predef.scala:1)\n"
      "\tat org.apache.spark.ml.Step.fit(Step.scala:3)\n\tat com.example.Job.run(Job.scala:7)";
  const Finding finding = Found("failure");
  EXPECT_EQ(finding.title, "Job 0 failed: java.lang.IllegalArgumentException: requirement failed: too few");
  EXPECT_NE(finding.what.find("; org.apache.spark.ml.Step.fit raised the exception"), std::string::npos)
      << finding.what;
}

TEST_F(FailureRulesTest, MemoryOfTheProgramIsThatOfTheDriver) {
  application().master = "yarn";
  const auto setting = [&](const std::string& text) {
    const auto report = ExplainFailure(application(), text, -1);
    return report && !report->remedy.empty() ? report->remedy.front().setting : std::string();
  };
  const std::string full = "java.lang.OutOfMemoryError: Java heap space";
  EXPECT_EQ(setting(full), "spark.executor.memory");
  EXPECT_EQ(setting("Exception in thread \"main\" " + full), "spark.driver.memory");
  EXPECT_EQ(setting("Uncaught exception in thread Thread[task-result-getter-2,5,main] " + full), "spark.driver.memory");
  EXPECT_EQ(setting("An error occurred while calling o1.collectToPython.\n: " + full), "spark.driver.memory");
  EXPECT_EQ(
      setting("An error occurred while calling o1.count.\n: Job aborted due to stage failure: Lost task 0.3: " + full),
      "spark.executor.memory");
}

TEST_F(FailureRulesTest, InLocalModeOneFailureEndsTheJob) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 20, 19);
  tasks().outcome[row] = TaskOutcome::kFailed;
  tasks().reason[row] = application().profile.strings.Intern("java.io.IOException: disk is full");
  const auto change = [&] { return Found("failed-work-3.0").change; };
  EXPECT_NE(change().find("spark.task.maxFailures"), std::string::npos) << change();
  application().master = "local[*]";
  EXPECT_EQ(change().find("spark.task.maxFailures"), std::string::npos) << change();
}

TEST_F(FailureRulesTest, TasksThatTheEndOfTheProgramInterruptsDoNotFailOfThemselves) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 20, 19);
  tasks().outcome[row] = TaskOutcome::kFailed;
  tasks().reason[row] = application().profile.strings.Intern("java.io.IOException: Filesystem closed");
  application().stages[0].status = RunStatus::kFailed;
  application().stages[0].failure = "Stage cancelled because SparkContext was shut down";
  const Finding finding = Found("failed-work-3.0");
  EXPECT_NE(finding.title.find("SparkContext was shut down"), std::string::npos) << finding.title;
  EXPECT_NE(finding.evidence.find("1 task failed with java.io.IOException: Filesystem closed"), std::string::npos);
}

TEST_F(FailureRulesTest, TheSameFailureInTwoStagesAndOnOtherExecutorsIsOneFinding) {
  const int32_t other = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, tid < 2 ? stage_ : other, executor_, 0, 20, 19);
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = application().profile.strings.Intern("ExecutorLostFailure (executor " + std::to_string(tid) +
                                                               " exited) Reason: preempted");
  }
  const Answers answers = Answer(application());
  EXPECT_EQ(std::count_if(answers.findings.begin(), answers.findings.end(),
                          [](const Finding& finding) { return finding.rule == "failed-work"; }),
            1);
  EXPECT_EQ(answers.findings[0].stages, (std::vector<int64_t>{4, 3}));
  EXPECT_NE(answers.findings[0].title.find("; the same in 1 other stage"), std::string::npos);
}

TEST_F(FailureRulesTest, CancelledJobsAreNoFailures) {
  for (int64_t tid = 0; tid < 2; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = application().profile.strings.Intern("java.lang.InterruptedException");
  }
  application().stages[0].status = RunStatus::kFailed;
  application().stages[0].failure = "[SPARK_JOB_CANCELLED] Job 0 cancelled part of cancelled job group";
  EXPECT_FALSE(Finds("failed-work-3.0"));
  application().stages[0].failure = "java.lang.InterruptedException";
  EXPECT_TRUE(Finds("failed-work-3.0"));
}

TEST_F(FailureRulesTest, AStreamThatItsProgramStopsDidNotFail) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 40);
  builder_.AddJob(0, {3});
  Stage& stage = application().stages[0];
  stage.status = RunStatus::kFailed;
  stage.failure = "Job 0 cancelled because SparkContext was shut down";
  application().jobs[0].status = RunStatus::kFailed;
  EXPECT_TRUE(Finds("failed-work-3.0")) << "a driver that ended";
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  EXPECT_FALSE(Finds("failed-work-3.0"));
  application().streaming_queries.clear();
  stage.failure = "[SPARK_JOB_CANCELLED] Job 0 cancelled part of cancelled job group a";
  EXPECT_FALSE(Finds("failed-work-3.0"));
}

TEST_F(FailureRulesTest, AnExecutorThatNobodyRemovedIsLost) {
  Executor& lost = executor();
  lost.remove_ns = ApplicationBuilder::Time(50);
  lost.remove_reason = "Executor is idle for 60 s, idle for too long";
  EXPECT_FALSE(Finds("lost-executors"));
  lost.remove_reason = "Container released on a *lost* node";
  const Finding finding = Found("lost-executors");
  EXPECT_NE(finding.change.find("decommission"), std::string::npos);
  EXPECT_FALSE(finding.is_failure) << "no task was lost";
}

TEST_F(FailureRulesTest, AnExecutorThatGoesAfterTheLastJobIsNotLost) {
  builder_.AddJob(0, {3});
  for (Job& job : application().jobs) job.end_ns = ApplicationBuilder::Time(45);
  application().end_ns = ApplicationBuilder::Time(60);
  application().ended = true;
  executor().remove_reason = "Command exited with code 143";
  executor().remove_ns = ApplicationBuilder::Time(46);
  EXPECT_FALSE(Finds("lost-executors"));
  executor().remove_ns = ApplicationBuilder::Time(44);
  EXPECT_TRUE(Finds("lost-executors"));
}

TEST_F(FailureRulesTest, AnExecutorThatWasKilledCostsItsTasksAndTheTimeUntilItIsReplaced) {
  Executor& lost = executor();
  lost.remove_ns = ApplicationBuilder::Time(40);
  // Standalone workers do not limit memory.
  lost.remove_reason = "Command exited with code 137";
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 40);
  tasks().outcome[row] = TaskOutcome::kFailed;
  builder_.AddExecutor("2", 4);
  application().executors.back().add_ns = ApplicationBuilder::Time(46);
  EXPECT_FALSE(Finds("oom"));
  const Finding finding = Found("lost-executors");
  EXPECT_EQ(finding.title, "Executor 1 was lost: the process was killed (SIGKILL, exit code 137)");
  EXPECT_NE(finding.evidence.find("10.0 s of task time lost; 12.0 s of core time until"), std::string::npos)
      << finding.evidence;
}

TEST_F(FailureRulesTest, AnExecutorThatEndsByItselfIsLostIfATaskIs) {
  Executor& lost = executor();
  lost.remove_ns = ApplicationBuilder::Time(50);
  lost.remove_reason =
      "Executor for container container_3 exited because of a YARN event (e.g., preemption) and not because of an "
      "error in the running job.";
  EXPECT_FALSE(Finds("lost-executors")) << "it was decommissioned";
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 50);
  tasks().outcome[row] = TaskOutcome::kFailed;
  EXPECT_EQ(Found("lost-executors").title,
            "Executor 1 was lost: the process ended by itself with exit code 0, although the driver did not stop it");
}

TEST_F(FailureRulesTest, TheNameOfAHostIsNoReasonOfALoss) {
  Executor& lost = executor();
  lost.remove_ns = ApplicationBuilder::Time(50);
  lost.remove_reason = "Container marked as failed: container_7 on host: hadoop-worker-Node3. Exit status: 1";
  application().spark_version = "2.4.8";
  EXPECT_EQ(Found("lost-executors").title, "Executor 1 was lost");
  EXPECT_EQ(Found("lost-executors").change.find("decommission"), std::string::npos) << "since Spark 3.1";
}

TEST_F(FailureRulesTest, ALostExecutorHasTheReasonsOfKubernetes) {
  Executor& lost = executor();
  lost.remove_ns = ApplicationBuilder::Time(50);
  lost.remove_reason =
      "\nThe executor with id 1 exited with exit code 143(SIGTERM).\nThe API gave the following brief reason: Evicted\n"
      "The API gave the following container statuses:\n\t exit code: 143\n\t termination reason: Error\n";
  const Finding finding = Found("lost-executors");
  EXPECT_TRUE(finding.title.starts_with("Executor 1 was lost: Kubernetes evicted the pod")) << finding.title;
  EXPECT_NE(finding.evidence.find("143(SIGTERM). (Evicted) (Error)"), std::string::npos) << finding.evidence;
}

TEST_F(FailureRulesTest, APodThatDynamicAllocationEndsIsNotLost) {
  Executor& lost = executor();
  lost.remove_ns = ApplicationBuilder::Time(50);
  lost.remove_reason =
      "\nThe executor with id 1 exited with exit code 0(success).\nThe API gave the following brief reason: N/A\n"
      "The API gave the following container statuses:\n\t exit code: 0\n\t termination reason: Completed\n";
  EXPECT_FALSE(Finds("lost-executors"));
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 50);
  tasks().outcome[row] = TaskOutcome::kFailed;
  EXPECT_TRUE(Finds("lost-executors")) << "a task ended it";
}

TEST_F(FailureRulesTest, ADisruptionOfAPodIsTheReasonOfItsExecutorsLoss) {
  Executor& lost = executor();
  lost.remove_ns = ApplicationBuilder::Time(50);
  lost.remove_reason =
      "\nThe executor with id 1 exited with exit code 143(SIGTERM).\nThe pod's disruption: PreemptionByScheduler, "
      "default-scheduler: preempting to accommodate a higher priority pod";
  const Finding finding = Found("lost-executors");
  EXPECT_EQ(finding.title, "Executor 1 was lost: the pod was preempted by one with a higher priority");
  EXPECT_NE(finding.evidence.find("preempting to accommodate"), std::string::npos) << finding.evidence;
}

TEST_F(FailureRulesTest, ADriverThatWasKilledIsLost) {
  const int32_t driver = builder_.AddExecutor("driver", 0);
  const size_t row = builder_.AddTask(7, stage_, executor_, 20, 30);
  tasks().outcome[row] = TaskOutcome::kRunning;
  builder_.AddJob(0, {3});
  application().ended = false;
  EXPECT_FALSE(Finds("lost-driver")) << "it may still run";

  const int64_t end_ns = ApplicationBuilder::Time(30);
  application().notices.push_back({driver, {end_ns, NoticeLevel::kWarning, std::string(kDriverEndNotice)}});
  EXPECT_EQ(Found("lost-driver").title, kDriverEndNotice);

  application().notices[0].notice.text += ": exit code 137 of spark-submit";
  EXPECT_EQ(Answer(application()).findings[0].rule, "lost-driver") << "it is a failure";
  const Finding finding = Found("lost-driver");
  EXPECT_EQ(finding.title, "The driver was lost: the process was killed (SIGKILL, exit code 137)");
  EXPECT_NE(finding.what.find("after 30.0 s, before the application did; 1 task was running"), std::string::npos)
      << finding.what;
  EXPECT_NE(finding.evidence.find("; exit code 137 of spark-submit"), std::string::npos) << finding.evidence;

  application().notices[0].notice.text = std::string(kDriverEndNotice) + ": OOMKilled, exit code 137";
  EXPECT_EQ(Found("lost-driver").title,
            "The driver was lost: the container exceeded its memory limit, so the kernel killed it (OOMKilled)");
  application().ended = true;
  EXPECT_FALSE(Finds("lost-driver"));
}

TEST_F(FailureRulesTest, AMonitorSeesTheEndOfADriver) {
  const int32_t driver = builder_.AddExecutor("driver", 0);
  Process process;
  process.role = "jvm";
  process.ended = true;
  application().processes.push_back({process, executor_});
  builder_.AddJob(0, {3});
  application().ended = false;
  EXPECT_FALSE(Finds("lost-driver")) << "an executor";
  application().processes[0].executor = driver;
  EXPECT_TRUE(Finds("lost-driver"));
}

}  // namespace
}  // namespace sparkprof
