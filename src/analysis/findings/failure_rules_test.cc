// SPDX-License-Identifier: Apache-2.0
// Rules about work that was lost: failed-work, lost-executors and lost-driver.
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/testing/findings_fixture.h"
#include "model/driver_end.h"

namespace sparkprof {
namespace {

class FailureRulesTest : public FindingsFixture {};

TEST_F(FailureRulesTest, WorkThatFailedSaysWhyAndWhatItCost) {
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, executor_, 0, 20, 19);
    if (tid > 1) continue;
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] =
        builder_.application().profile.strings.Intern("java.io.IOException: disk is full\n\tat Job.map");
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "failed-work-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->selection.tasks, (std::vector<int64_t>{0, 1}));
  EXPECT_NE(finding->evidence.find("2 tasks failed with java.io.IOException: disk is full"), std::string::npos);
  EXPECT_EQ(finding->evidence.find("Job.map"), std::string::npos);
}

TEST_F(FailureRulesTest, ExecutorsThatAloneFailTasksAreNamed) {
  const int32_t other = builder_.AddExecutor("2", 2);
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, stage_, tid < 2 ? executor_ : other, 0, 20, 19);
    if (tid > 1) continue;
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = builder_.application().profile.strings.Intern("java.io.IOException: disk is full");
  }
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "failed-work-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->evidence.find("all on executor 1, where no task of the stage succeeded"), std::string::npos);
  EXPECT_TRUE(finding->change.starts_with("Check these executors and their hosts first")) << finding->change;
}

TEST_F(FailureRulesTest, InLocalModeOneFailureEndsTheJob) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 20, 19);
  tasks().outcome[row] = TaskOutcome::kFailed;
  tasks().reason[row] = builder_.application().profile.strings.Intern("java.io.IOException: disk is full");
  const auto change = [&] { return Find(Answer(builder_.application()), "failed-work-3.0")->change; };
  EXPECT_NE(change().find("spark.task.maxFailures"), std::string::npos) << change();
  builder_.application().master = "local[*]";
  EXPECT_EQ(change().find("spark.task.maxFailures"), std::string::npos) << change();
}

TEST_F(FailureRulesTest, TasksThatTheEndOfTheProgramInterruptsDoNotFailOfThemselves) {
  const size_t row = builder_.AddTask(1, stage_, executor_, 0, 20, 19);
  tasks().outcome[row] = TaskOutcome::kFailed;
  tasks().reason[row] = builder_.application().profile.strings.Intern("java.io.IOException: Filesystem closed");
  builder_.application().stages[0].status = RunStatus::kFailed;
  builder_.application().stages[0].failure = "Stage cancelled because SparkContext was shut down";
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "failed-work-3.0");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->title.find("SparkContext was shut down"), std::string::npos) << finding->title;
  EXPECT_NE(finding->evidence.find("1 task failed with java.io.IOException: Filesystem closed"), std::string::npos);
}

TEST_F(FailureRulesTest, TheSameFailureInTwoStagesAndOnOtherExecutorsIsOneFinding) {
  const int32_t other = builder_.AddStage(4, 0, 0);
  for (int64_t tid = 0; tid < 4; ++tid) {
    const size_t row = builder_.AddTask(tid, tid < 2 ? stage_ : other, executor_, 0, 20, 19);
    tasks().outcome[row] = TaskOutcome::kFailed;
    tasks().reason[row] = builder_.application().profile.strings.Intern(
        "ExecutorLostFailure (executor " + std::to_string(tid) + " exited) Reason: preempted");
  }
  const Answers answers = Answer(builder_.application());
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
    tasks().reason[row] = builder_.application().profile.strings.Intern("java.lang.InterruptedException");
  }
  builder_.application().stages[0].status = RunStatus::kFailed;
  builder_.application().stages[0].failure = "[SPARK_JOB_CANCELLED] Job 0 cancelled part of cancelled job group";
  EXPECT_EQ(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
  builder_.application().stages[0].failure = "java.lang.InterruptedException";
  EXPECT_NE(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
}

TEST_F(FailureRulesTest, AStreamThatItsProgramStopsDidNotFail) {
  builder_.AddTask(1, stage_, executor_, 0, 50, 40);
  builder_.AddJob(0, {3});
  Stage& stage = builder_.application().stages[0];
  stage.status = RunStatus::kFailed;
  stage.failure = "Job 0 cancelled because SparkContext was shut down";
  builder_.application().jobs[0].status = RunStatus::kFailed;
  EXPECT_NE(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr) << "a driver that ended";
  builder_.application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  EXPECT_EQ(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
  builder_.application().streaming_queries.clear();
  stage.failure = "[SPARK_JOB_CANCELLED] Job 0 cancelled part of cancelled job group a";
  EXPECT_EQ(Find(Answer(builder_.application()), "failed-work-3.0"), nullptr);
}

TEST_F(FailureRulesTest, AnExecutorThatNobodyRemovedIsLost) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason = "Executor is idle for 60 s, idle for too long";
  EXPECT_EQ(Find(Answer(builder_.application()), "lost-executors"), nullptr);
  executor.remove_reason = "Container from a bad node: exit status 143";
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "lost-executors");
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->change.find("decommission"), std::string::npos);
  EXPECT_FALSE(finding->is_failure) << "no task was lost";
}

TEST_F(FailureRulesTest, AnExecutorThatWasKilledCostsItsTasksAndTheTimeUntilItIsReplaced) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(40);
  // Standalone workers limit no memory.
  executor.remove_reason = "Command exited with code 137";
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 40);
  tasks().outcome[row] = TaskOutcome::kFailed;
  builder_.AddExecutor("2", 4);
  builder_.application().executors.back().add_ns = ApplicationBuilder::Time(46);
  const Answers answers = Answer(builder_.application());
  EXPECT_EQ(Find(answers, "oom"), nullptr);
  const Finding* finding = Find(answers, "lost-executors");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "Executor 1 was lost: its process was killed (SIGKILL)");
  EXPECT_NE(finding->evidence.find("10.0 s of task time lost; 12.0 s of core time until"), std::string::npos)
      << finding->evidence;
}

TEST_F(FailureRulesTest, AnExecutorThatEndsByItselfIsLostIfATaskIs) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason =
      "Executor for container container_3 exited because of a YARN event (e.g., preemption) and not because of an "
      "error in the running job.";
  EXPECT_EQ(Find(Answer(builder_.application()), "lost-executors"), nullptr) << "it was decommissioned";
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 50);
  tasks().outcome[row] = TaskOutcome::kFailed;
  const Answers answers = Answer(builder_.application());
  ASSERT_NE(Find(answers, "lost-executors"), nullptr);
  EXPECT_EQ(Find(answers, "lost-executors")->title, "Executor 1 was lost: its process ended by itself (exit code 0)");
}

TEST_F(FailureRulesTest, TheNameOfAHostIsNoReasonOfALoss) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason = "Container marked as failed: container_7 on host: hadoop-worker-Node3. Exit status: 1";
  builder_.application().spark_version = "2.4.8";
  const Answers answers = Answer(builder_.application());
  ASSERT_NE(Find(answers, "lost-executors"), nullptr);
  EXPECT_EQ(Find(answers, "lost-executors")->title, "Executor 1 was lost");
  EXPECT_EQ(Find(answers, "lost-executors")->change.find("decommission"), std::string::npos) << "since Spark 3.1";
}

TEST_F(FailureRulesTest, ALostExecutorHasTheReasonsOfKubernetes) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason =
      "\nThe executor with id 1 exited with exit code 143(SIGTERM).\nThe API gave the following brief reason: Evicted\n"
      "The API gave the following container statuses:\n\t exit code: 143\n\t termination reason: Error\n";
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "lost-executors");
  ASSERT_NE(finding, nullptr);
  EXPECT_TRUE(finding->title.ends_with("its pod was evicted")) << finding->title;
  EXPECT_NE(finding->evidence.find("143(SIGTERM). (Evicted) (Error)"), std::string::npos) << finding->evidence;
}

TEST_F(FailureRulesTest, APodThatDynamicAllocationEndsIsNotLost) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason =
      "\nThe executor with id 1 exited with exit code 0(success).\nThe API gave the following brief reason: N/A\n"
      "The API gave the following container statuses:\n\t exit code: 0\n\t termination reason: Completed\n";
  EXPECT_EQ(Find(Answer(builder_.application()), "lost-executors"), nullptr);
  const size_t row = builder_.AddTask(7, stage_, executor_, 30, 50);
  tasks().outcome[row] = TaskOutcome::kFailed;
  EXPECT_NE(Find(Answer(builder_.application()), "lost-executors"), nullptr) << "a task ended it";
}

TEST_F(FailureRulesTest, ADisruptionOfAPodIsTheReasonOfItsExecutorsLoss) {
  Executor& executor = builder_.application().executors[static_cast<size_t>(executor_)];
  executor.remove_ns = ApplicationBuilder::Time(50);
  executor.remove_reason =
      "\nThe executor with id 1 exited with exit code 143(SIGTERM).\nThe pod's disruption: PreemptionByScheduler, "
      "default-scheduler: preempting to accommodate a higher priority pod";
  const Answers answers = Answer(builder_.application());
  const Finding* finding = Find(answers, "lost-executors");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->title, "Executor 1 was lost: its pod was preempted by one with a higher priority");
  EXPECT_NE(finding->evidence.find("preempting to accommodate"), std::string::npos) << finding->evidence;
}

TEST_F(FailureRulesTest, ADriverThatWasKilledIsLost) {
  Application& application = builder_.application();
  const int32_t driver = builder_.AddExecutor("driver", 0);
  const size_t row = builder_.AddTask(7, stage_, executor_, 20, 30);
  tasks().outcome[row] = TaskOutcome::kRunning;
  builder_.AddJob(0, {3});
  application.ended = false;
  EXPECT_EQ(Find(Answer(application), "lost-driver"), nullptr) << "it may still run";

  const int64_t end_ns = ApplicationBuilder::Time(30);
  application.notices.push_back({driver, {end_ns, NoticeLevel::kWarning, std::string(kDriverEndNotice)}});
  const Answers unknown = Answer(application);
  ASSERT_NE(Find(unknown, "lost-driver"), nullptr);
  EXPECT_EQ(Find(unknown, "lost-driver")->title, kDriverEndNotice);

  application.notices[0].notice.text += ": exit code 137 of spark-submit";
  const Answers killed = Answer(application);
  const Finding* finding = Find(killed, "lost-driver");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding, killed.findings.data()) << "it is a failure";
  EXPECT_EQ(finding->title, "The driver was killed (SIGKILL)");
  EXPECT_NE(finding->what.find("after 30.0 s, before the application did; 1 task was running"), std::string::npos)
      << finding->what;
  EXPECT_NE(finding->evidence.find("; exit code 137 of spark-submit"), std::string::npos) << finding->evidence;

  application.notices[0].notice.text = std::string(kDriverEndNotice) + ": OOMKilled, exit code 137";
  EXPECT_EQ(Find(Answer(application), "lost-driver")->title,
            "The driver was killed: its container exceeded its memory limit");
  application.ended = true;
  EXPECT_EQ(Find(Answer(application), "lost-driver"), nullptr);
}

TEST_F(FailureRulesTest, AMonitorSeesTheEndOfADriver) {
  Application& application = builder_.application();
  const int32_t driver = builder_.AddExecutor("driver", 0);
  Process process;
  process.role = "jvm";
  process.ended = true;
  application.processes.push_back({process, executor_});
  builder_.AddJob(0, {3});
  application.ended = false;
  EXPECT_EQ(Find(Answer(application), "lost-driver"), nullptr) << "an executor";
  application.processes[0].executor = driver;
  EXPECT_NE(Find(Answer(application), "lost-driver"), nullptr);
}

}  // namespace
}  // namespace sparkprof
