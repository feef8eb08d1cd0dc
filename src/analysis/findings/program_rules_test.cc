// SPDX-License-Identifier: Apache-2.0
// The course of a program: job-loop, serial-queries, query-planning, failed-work, grouped-rows, full-sort,
// large-closure, task-cpus, dropped-events.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/testing/queries_test.h"

namespace sparkprof {
namespace {

using ProgramRulesTest = QueriesTest;

TEST_F(ProgramRulesTest, TasksThatReserveTwoCoresAndUseOneLeaveOneIdle) {
  AddStage(40);
  AddStage(40);
  EXPECT_FALSE(Finds("task-cpus"));
  Set({{"spark.task.cpus", "2"}});
  const Finding finding = Found("task-cpus");
  EXPECT_EQ(finding.title, "Each task reserves 2 cores and uses 1.0");
  EXPECT_EQ(finding.change,
            "Set spark.task.cpus=1, unless code of the tasks starts threads of its own. Now: spark.task.cpus=2");
  for (size_t task = 0; task < 8; ++task)
    tasks().Column(TaskMetric::kExecutorCpuTime)[task] = ApplicationBuilder::Nanos(60);
  EXPECT_FALSE(Finds("task-cpus")) << "its code has threads";
}

TEST_F(ProgramRulesTest, GroupsOfWhichLittleRemainsNeedACombinationBeforeTheShuffle) {
  const int64_t writer = AddStage(10), reader = AddStage(10);
  AddJobOf(reader, "runJob at SparkHadoopWriter.scala:85", 0, 20);
  Stage& stage = application().stages.back();
  stage.parents = {writer};
  stage.grouped_by = "groupByKey at /home/me/Job.scala:6";
  const size_t task = tasks().Size() - 1;
  tasks().Column(TaskMetric::kShuffleReadBytes)[task] = 64 << 20;
  tasks().Column(TaskMetric::kOutputBytes)[task] = 1 << 20;
  const Finding finding = Found("grouped-rows");
  EXPECT_EQ(finding.title, "groupByKey() shuffles 64.0 MiB to keep 1.0 MiB");
  EXPECT_EQ(finding.stages, (std::vector<int64_t>{reader, writer}));
  EXPECT_EQ(finding.frames, std::vector<std::string>{"groupByKey at Job.scala:6"});
  tasks().Column(TaskMetric::kOutputBytes)[task] = 32 << 20;
  EXPECT_FALSE(Finds("grouped-rows")) << "the program needs the groups";
  tasks().Column(TaskMetric::kOutputBytes)[task] = 0;
  application().cached_rdds = {{.id = 7, .name = "groups", .in_memory = true, .stages = {reader}}};
  EXPECT_FALSE(Finds("grouped-rows")) << "it keeps them";
  application().cached_rdds.clear();
  stage.grouped_by.clear();
  EXPECT_FALSE(Finds("grouped-rows"));
  application().stages[0].name = "groupByKey at /home/me/job.py:6";
  EXPECT_TRUE(Finds("grouped-rows")) << "a Python program";
}

TEST_F(ProgramRulesTest, AQueryThatFailsOutsideItsStagesIsAFailure) {
  SqlExecution sql;
  sql.id = 4;
  sql.description = "collect at /home/me/job.py:16";
  sql.status = RunStatus::kFailed;
  sql.failure = "Not enough memory to build and broadcast the table to all worker nodes";
  application().sql_executions.push_back(sql);
  const Finding finding = Found("failed-work");
  EXPECT_EQ(finding.title, "Query 4 failed: Not enough memory to build and broadcast the table to all worker nodes");
  EXPECT_EQ(finding.severity, Severity::kHigh);
  EXPECT_TRUE(finding.change.starts_with("Remove the hint broadcast()")) << finding.change;
  Stage& cancelled = application().stages.emplace_back();
  cancelled.id = 99;
  cancelled.sql_execution = 4;
  cancelled.status = RunStatus::kFailed;
  cancelled.failure = "Job 0 cancelled The corresponding broadcast query has failed.";
  EXPECT_EQ(Found("failed-work").title, finding.title) << "its stage ended with it";
  application().sql_executions.back().failure = "Job 3 cancelled because SparkContext was shut down";
  EXPECT_FALSE(Finds("failed-work"));
  application().sql_executions.back().failure = "no";
  application().name = "Spark shell";
  EXPECT_FALSE(Finds("failed-work")) << "a person at a prompt sees the error";
  application().environment = {
      {"System", {{"sun.java.command", "SparkSubmit --name Spark shell spark-shell -i job.scala"}}}};
  EXPECT_TRUE(Finds("failed-work")) << "nobody is at the prompt of a script";
}

TEST_F(ProgramRulesTest, APlanOfManyOperatorsThatTakesATenthOfTheTimeOutsideJobsIsLarge) {
  AddJobOf(AddStage(10), "collect at Job.scala:5", 10, 20);
  SqlExecution sql;
  sql.id = 1;
  sql.description = "collect at /home/me/Job.scala:5";
  sql.jobs = {0};
  sql.start_ns = ApplicationBuilder::Time(0);
  sql.end_ns = ApplicationBuilder::Time(25);
  sql.plan.name = "Union";
  for (int i = 0; i < 99; ++i) sql.plan.children.push_back({.name = "Project"});
  application().sql_executions = {sql};
  const Finding finding = Found("query-planning");
  EXPECT_EQ(finding.title, "Planning large queries takes 10.0% of the time: a plan has 100 operators");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(8));
  EXPECT_EQ(finding.frames, std::vector<std::string>{"collect at Job.scala:5"});
  application().jobs.back().submit_ns -= 1'000'000;
  EXPECT_FALSE(Finds("query-planning")) << "less than a tenth";
  application().jobs.back().submit_ns += 1'000'000;
  application().sql_executions[0].plan.children.pop_back();
  EXPECT_FALSE(Finds("query-planning")) << "a small plan";
}

TEST_F(ProgramRulesTest, ThirtyShortJobsOfALineAreALoop) {
  for (int i = 0; i < 30; ++i) {
    const int64_t stage = AddStage(0.5);
    AddJobOf(stage, "collect at /home/me/job.py:9", now_ - 0.5, now_);
    now_ += 0.5;
  }
  application().end_ns = ApplicationBuilder::Time(75);
  const Finding finding = Found("job-loop");
  EXPECT_EQ(Weighed(finding),
            "high, saves 23.2 s (11.6 s to 36.2 s); cpu; the fastest job takes 500 ms; between two of them 500 ms");
  EXPECT_EQ(finding.title, "A loop runs 30 jobs of one line");
  EXPECT_EQ(finding.frames, std::vector<std::string>{"collect at job.py:9"});
  application().jobs.back().name = "count at /home/me/job.py:12";
  EXPECT_FALSE(Finds("job-loop")) << "29 jobs";
  for (size_t i = 0; i < 30; ++i)
    application().jobs[i].name = i < 15 ? "count at NativeMethodAccessorImpl.java:0" : "count at <unknown>:0";
  EXPECT_EQ(Found("job-loop").title, "A loop runs 30 jobs of count()");
  for (size_t i = 1; i < 30; i += 2) application().jobs[i].submit_ns = application().jobs[i - 1].submit_ns;
  EXPECT_TRUE(Finds("job-loop")) << "15 of 30 begin beside another";
  application().jobs[2].submit_ns = application().jobs[1].submit_ns + 1;
  EXPECT_FALSE(Finds("job-loop")) << "two threads start them";
}

TEST_F(ProgramRulesTest, IterationsOfAlgorithmsAndStreamsAreNoLoop) {
  for (int i = 0; i < 80; ++i) {
    const int64_t stage = AddStage(0.5);
    application().stages.back().details = "org.apache.spark.ml.optim.loss.RDDLossFunction.calculate";
    AddJobOf(stage, "treeAggregate at RDDLossFunction.scala:61", now_ - 0.5, now_);
  }
  // A job also has the stage that computes what the program prepared.
  for (size_t row = 0; row < application().stages.size(); row += 2) {
    application().stages[row].details.clear();
    application().stages[row].job = application().stages[row + 1].job;
  }
  std::erase_if(application().jobs, [](const Job& job) { return job.id % 2 == 0; });
  EXPECT_FALSE(Finds("job-loop"));
  for (Stage& stage : application().stages) stage.details.clear();
  EXPECT_TRUE(Finds("job-loop"));
  application().streaming_queries.push_back({.id = "a", .run_id = "r", .name = {}, .failure = {}});
  EXPECT_FALSE(Finds("job-loop"));
  application().streaming_queries.clear();  // as in a text log
  for (Job& job : application().jobs) job.name = "start at NativeMethodAccessorImpl.java:0";
  EXPECT_FALSE(Finds("job-loop"));
}

TEST_F(ProgramRulesTest, APlanThatGrowsInALoopIsNamed) {
  for (int i = 0; i < 30; ++i) {
    PlanNode plan{.name = "Project"};
    for (int depth = 0; depth < i; ++depth) {
      PlanNode above{.name = "Project"};
      above.children = {plan};
      plan = above;
    }
    AddQuery(1, plan);
    AddJobOf(application().stages.back().id, "collect at job.py:9", now_ - 1, now_);
    application().jobs.back().sql_execution = application().sql_executions.back().id;
  }
  const Finding finding = Found("job-loop");
  EXPECT_EQ(finding.title, "A loop runs 30 queries, and its plan grows from 1 to 30 operators");
  EXPECT_NE(finding.change.find("checkpoint()"), std::string::npos);
}

TEST_F(ProgramRulesTest, QueriesOfOneTaskThatFollowEachOtherCouldRunAtOnce) {
  for (int i = 0; i < 4; ++i) {
    const int64_t stage = next_stage_++;
    const int32_t row = builder_.AddStage(stage, 0, 0);
    application().stages.back().task_count = 1;
    builder_.AddTask(next_task_++, row, executor_, now_, now_ + 10, 10);
    now_ += 10;
    AddJobOf(stage, i % 2 == 0 ? "count at /home/me/job.py:9" : "save at /home/me/job.py:12", now_ - 10, now_);
  }
  const Finding finding = Found("serial-queries");
  EXPECT_EQ(finding.title, "4 jobs run one after another, each on at most half of the cores");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 15.0 s (0 ns to 37.5 s); cpu; their tasks took 40.0 s on 4 cores; the longest took 10.0 s");
  EXPECT_EQ(finding.frames, (std::vector<std::string>{"count at job.py:9", "save at job.py:12"}));
  // Two at a time: the program starts them from threads.
  application().jobs[1].submit_ns = application().jobs[0].submit_ns;
  EXPECT_FALSE(Finds("serial-queries"));
}

TEST_F(ProgramRulesTest, ShortJobsOfALoopThatUseOneCoreCouldRunAtOnce) {
  for (int i = 0; i < 10; ++i) {
    const int32_t row = builder_.AddStage(next_stage_, 0, 0);
    builder_.AddTask(next_task_++, row, executor_, now_, now_ + 0.25, 0.25);
    now_ += 0.25;
    AddJobOf(next_stage_++, "collect at /home/me/job.py:9", now_ - 0.25, now_);
  }
  application().end_ns = ApplicationBuilder::Time(4);
  EXPECT_EQ(Found("serial-queries").title, "10 jobs run one after another, each on at most half of the cores");
  application().jobs.back().name = "collect at /home/me/job.py:12";
  EXPECT_FALSE(Finds("serial-queries")) << "nine of one line";
}

TEST_F(ProgramRulesTest, AFunctionThatTakesAFifthOfTheTasksToDeserializeIsLarge) {
  for (int i = 0; i < 4; ++i) {
    builder_.AddStage(7, 0, 0);
    for (int task = 0; task < 4; ++task) builder_.AddTask(next_task_++, 0, executor_, i * 10, i * 10 + 10, 8);
  }
  for (size_t task = 0; task < 16; ++task) tasks().Column(TaskMetric::kDeserializeTime)[task] = 2'000'000'000;
  const Finding finding = Found("large-closure");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 6.4 s (3.2 s to 10.0 s); cpu of stage 7; 2.0 s for the median task, 32.0 s in total of 2.7 "
            "min task time");
  EXPECT_EQ(finding.title, "Stage 7: deserializing the function in each task takes 20.0% of task time");
  for (size_t task = 0; task < 16; ++task) tasks().Column(TaskMetric::kDeserializeTime)[task] = 1'999'999'999;
  EXPECT_FALSE(Finds("large-closure"));
}

TEST_F(ProgramRulesTest, OperatorsOfAQueryCarryNoData) {
  AddStage(10);
  for (int64_t task = 0; task < 16; ++task) {
    const size_t row = builder_.AddTask(next_task_++, 0, executor_, 10, 20, 8);
    tasks().Column(TaskMetric::kDeserializeTime)[row] = 2'000'000'000;
  }
  EXPECT_TRUE(Finds("large-closure"));
  application().stages[0].sql_execution = 5;
  SqlExecution sql;
  sql.id = 5;
  sql.plan.name = "HashAggregate";
  application().sql_executions = {sql};
  EXPECT_FALSE(Finds("large-closure"));
  application().sql_executions[0].plan.text = "HashAggregate(keys=[UDF(id#1)])";
  EXPECT_TRUE(Finds("large-closure"));
}

TEST_F(ProgramRulesTest, FirstTasksOfExecutorsThatLoadClassesHaveNoLargeClosure) {
  AddStage(10);
  for (size_t task = 0; task < 4; ++task) tasks().Column(TaskMetric::kDeserializeTime)[task] = 5'000'000'000;
  EXPECT_FALSE(Finds("large-closure"));
}

TEST_F(ProgramRulesTest, UnpicklingAFunctionInEachTaskIsPythonsPart) {
  builder_.AddStage(7, 0, 0);
  const uint32_t worker = builder_.AddThread(300, "Python worker", executor_);
  const std::string package = "/venv/lib/python3.12/site-packages/pyspark/";
  const FrameId main = builder_.AddFrame("main", FrameKind::kPython, package + "worker.py", 900);
  const FrameId read = builder_.AddFrame("read_command", FrameKind::kPython, package + "worker_util.py", 66);
  const FrameId loads =
      builder_.AddFrame("CPickleSerializer.loads", FrameKind::kPython, package + "serializers.py", 400);
  const FrameId score = builder_.AddFrame("score", FrameKind::kPython, "/home/me/job.py", 12);
  for (int task = 0; task < 16; ++task) {
    builder_.AddTask(next_task_, 0, executor_, task / 4 * 10, task / 4 * 10 + 10, 1);
    builder_.AddSample(Event::kCpu, 3, worker, next_task_, builder_.AddStack({main, read, loads}), 2'000'000'000);
    builder_.AddSample(Event::kCpu, 3, worker, next_task_++, builder_.AddStack({main, score}), 8'000'000'000);
  }
  application().python_samples = std::exchange(application().profile.samples, {});
  const Finding finding = Found("large-closure");
  EXPECT_EQ(finding.title, "Stage 7: unpickling the function in each task takes 20.0% of Python's CPU time");
  application().python_samples[0].weight -= 1;
  EXPECT_FALSE(Finds("large-closure"));
}

TEST_F(ProgramRulesTest, TasksWithoutAnEndAreDroppedEvents) {
  AddStage(10);
  AddJobOf(0, "count at Job.scala:3", 0, 10);
  EXPECT_FALSE(Finds("dropped-events"));
  application().stages[0].task_count = 8;
  const Finding finding = Found("dropped-events");
  EXPECT_EQ(finding.title, "The input has no events of 50.0% of the tasks");
  EXPECT_EQ(finding.evidence, "4 of 8 tasks in stages that ended well have no end event");
  EXPECT_NE(finding.what.find("or a part of the log is missing"), std::string::npos) << finding.what;
  application().stages[0].status = RunStatus::kRunning;
  EXPECT_FALSE(Finds("dropped-events"));
  LogTemplate message;
  message.text = "Dropped <*> events from eventLog since the application started.";
  message.count = 2;
  application().logs.templates = {{}, message};
  EXPECT_TRUE(Found("dropped-events").what.starts_with("The driver's queue of events was full"));
  EXPECT_EQ(Found("dropped-events").title, "Spark dropped events of the application");
}

TEST_F(ProgramRulesTest, ASortOfAllRowsForTheFirstOnesIsNotNeeded) {
  const std::string line = "sortBy at job.py:23";
  const auto add = [&](double seconds, const std::string& stage_name, int64_t job, int64_t tasks) {
    const int64_t id = AddStage(seconds, job);
    application().stages.back().name = stage_name;
    application().stages.back().task_count = tasks;
    return id;
  };
  AddJobOf(add(10, line, 0, 4), line, 0, 10);
  AddJobOf(add(10, line, 1, 4), line, 10, 20);
  const int64_t sort = add(20, line, 2, 4);
  const int64_t take = add(1, "runJob at PythonRDD.scala:181", 2, 1);
  builder_.AddJob(2, {sort, take});
  application().jobs.back().name = "runJob at PythonRDD.scala:181";
  const Finding finding = Found("full-sort");
  EXPECT_EQ(finding.title, "All rows of an RDD are sorted to read the first of them");
  EXPECT_EQ(finding.frames, std::vector<std::string>{line});
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(0));
  application().stages.back().task_count = 4;
  EXPECT_FALSE(Finds("full-sort")) << "all sorted rows are read";
}

}  // namespace
}  // namespace sparkprof
