// SPDX-License-Identifier: Apache-2.0
// Rules for Python without samples: plan metrics of Spark, settings, and how rows are passed.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

constexpr int64_t kSecond = kNanosPerSecond;

class PythonPlanRulesTest : public StageFindingTest {
 protected:
  // Eight tasks of 10 s, two at a time on one core, that do not use the JVM's CPU.
  PythonPlanRulesTest() : StageFindingTest(1) {
    for (int64_t tid = 0; tid < 8; ++tid) {
      const auto begin = static_cast<double>(tid / 2 * 10);
      builder_.AddTask(tid, stage_, executor_, begin, begin + 10, 6e-5);
    }
  }

  // Sets the plan of stage 3: this operator above a range in the same stage.
  PlanNode& AddPlan(const std::string& name, std::vector<PlanMetric> metrics) {
    SqlExecution& sql = application().sql_executions.emplace_back();
    sql.id = 5;
    sql.description = "collect at /home/me/job.py:9";
    sql.plan.name = name;
    sql.plan.stages = {3};
    sql.plan.metrics = std::move(metrics);
    PlanNode range;
    range.name = "Range";
    range.stages = {3};
    sql.plan.children = {range};
    stage().sql_execution = 5;
    return sql.plan;
  }

  PlanNode& AddTimedPython(double start, double initialize, double run) {
    return AddPlan("BatchEvalPython", {Seconds("time to start Python workers", start),
                                       Seconds("time to initialize Python workers", initialize),
                                       Seconds("time to run Python workers", run)});
  }
};

TEST_F(PythonPlanRulesTest, SparksMetricsTellHowLongPythonRan) {
  AddTimedPython(1, 1, 60);
  const Finding finding = Found("python-bound");
  EXPECT_EQ(Weighed(finding),
            "medium, saves 8.0 s (0 ns to 37.5 s); wall of stage 3; 60.0 s of 80.0 s run time is neither CPU time of "
            "the JVM nor GC nor shuffle; whether Python computes or sleeps is unknown without a profile; by Spark's "
            "metrics of the plan, Python workers ran meanwhile");
  EXPECT_EQ(finding.title, "Stage 3: tasks wait for Python for 75.0% of their time");
  EXPECT_EQ(ConfidenceName(finding.confidence), "low");
  EXPECT_EQ(finding.severity, Severity::kMedium);  // because the function may sleep
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(PythonPlanRulesTest, SmallGroupsSaveTheFixedCostOfTheirCallsAndAreNotToldToVectorize) {
  AddPlan("FlatMapGroupsInPandas", {Seconds("time to run Python workers", 60), Rows(100)});
  const Finding few = Found("python-bound");
  EXPECT_EQ(few.saving.low_ns, 0);
  EXPECT_LE(few.saving.likely_ns, 2 * kSecond) << "whether its function computes or sleeps is unknown";
  EXPECT_NE(few.evidence.find("; 600 ms for each of at most 100 groups"), std::string::npos) << few.evidence;
  EXPECT_EQ(few.change.find("vectorized"), std::string::npos) << few.change;
  EXPECT_EQ(few.change.find("larger groups"), std::string::npos);
  application().sql_executions[0].plan.metrics.back() = Rows(3'000);
  for (const char* name : {"FlatMapGroupsInPandas", "FlatMapCoGroupsInPandas"}) {
    application().sql_executions[0].plan.name = name;
    tasks().Column(TaskMetric::kShuffleReadRecords)[0] = 3'000'000;
    const Finding small = Found("python-bound");
    EXPECT_TRUE(small.change.starts_with("Make fewer and larger groups")) << small.change;
    EXPECT_NE(small.evidence.find("; 20 ms for each of at most 3,000 groups of 1,000 rows"), std::string::npos)
        << small.evidence;
    EXPECT_GT(small.saving.low_ns, 0);
    tasks().Column(TaskMetric::kShuffleReadRecords)[0] += 3'000;
    EXPECT_EQ(Found("python-bound").saving.low_ns, 0) << "pandas may work on the rows";
  }
  application().sql_executions[0].plan.metrics.back() = Rows(300'001);
  EXPECT_FALSE(Found("python-bound").saving.IsKnown()) << "each group returned many rows";
}

TEST_F(PythonPlanRulesTest, AFunctionOfAnRddThatGetsWholeBlocksMayBeRightAsItIs) {
  stage().details = "org.apache.spark.api.python.PythonRDD.collectAndServe(PythonRDD.scala)";
  tasks().Column(TaskMetric::kInputRecords)[0] = 8;
  MetricColumn& bytes = tasks().Column(TaskMetric::kInputBytes);
  bytes[0] = 8 << 20;
  EXPECT_FALSE(Found("python-bound").saving.IsKnown());
  EXPECT_NE(Found("python-bound").change.find("large blocks"), std::string::npos);
  bytes[0] = (8 << 20) - 8;
  EXPECT_TRUE(Found("python-bound").saving.IsKnown());
}

TEST_F(PythonPlanRulesTest, AFunctionThatTwoOperatorsCallWithTheSameColumnsIsNamed) {
  PlanNode& above = AddTimedPython(1, 1, 60);
  above.text = "BatchEvalPython [risk(id#0L, 2)#2L], [pythonUDF0#20L]";
  PlanNode below{.name = "BatchEvalPython",
                 .text = "BatchEvalPython [name(id#0L)#5, risk(id#0L, 2)#2L], [pythonUDF0#7, pythonUDF1#8L]",
                 .stages = {3}};
  below.children = std::move(above.children);
  above.children = {std::move(below)};
  const Finding finding = Found("python-bound");
  EXPECT_EQ(finding.title,
            "Stage 3: tasks wait for Python for 75.0% of their time; the plan calls risk() 2 times for a row");
  EXPECT_TRUE(finding.change.starts_with("Call risk() once")) << finding.change;
  application().sql_executions[0].plan.text = "BatchEvalPython [risk(id#0L, 3)#2L], [pythonUDF0#20L]";
  EXPECT_EQ(Found("python-bound").title, "Stage 3: tasks wait for Python for 75.0% of their time");
}

TEST_F(PythonPlanRulesTest, AFunctionWhoseResultACaseNeedsForSomeRowsIsNamed) {
  PlanNode& above = AddTimedPython(1, 1, 60);
  above.text = "BatchEvalPython [season(day#3)#9, guess(memo#5)#7], [pythonUDF0#12, pythonUDF1#13]";
  PlanNode python = above;
  above = {
      .name = "Project",
      .text = "Project [id#0, CASE WHEN isnull(part#4) THEN pythonUDF1#13 ELSE part#4 END AS part#9, pythonUDF0#12]",
      .stages = {3},
      .children = {std::move(python)}};
  EXPECT_EQ(
      Found("python-bound").title,
      "Stage 3: tasks wait for Python for 75.0% of their time; guess() runs also for the rows that do not need it");
  EXPECT_TRUE(Found("python-bound").change.starts_with("Call guess() only for the rows that need it"));
  application().sql_executions[0].plan.text = "Project [id#0, pythonUDF1#13 AS part#9, pythonUDF0#12 AS season#11]";
  EXPECT_EQ(Found("python-bound").title, "Stage 3: tasks wait for Python for 75.0% of their time");
}

TEST_F(PythonPlanRulesTest, TwoLambdasOfOneColumnAreTwoFunctions) {
  AddTimedPython(1, 1, 60).text = "BatchEvalPython [<lambda>(ua#1)#3, <lambda>(ua#1)#6], [pythonUDF0#7, pythonUDF1#8]";
  EXPECT_EQ(Found("python-bound").title, "Stage 3: tasks wait for Python for 75.0% of their time");
}

TEST_F(PythonPlanRulesTest, PythonOfAnotherStageIsNotWaitedFor) {
  PlanNode& python = AddTimedPython(1, 1, 60);
  python.stages = {4};
  EXPECT_FALSE(Finds("python-bound"));
}

TEST_F(PythonPlanRulesTest, StartsFromFourTenthsOfTheWorkersTimeOnAreRepeated) {
  PlanNode& python = AddTimedPython(10, 14, 60);
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(Weighed(finding),
            "high, saves 16.8 s (8.4 s to 26.2 s); wall of stage 3; 24.0 s of 80.0 s run time, by Spark's metrics of "
            "the plan; symptom: tasks wait for Python for 75.0% of their time");
  EXPECT_EQ(finding.title, "Stage 3: starting and initializing Python workers takes 30.0% of task time");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(16.8));
  python.metrics[1].value -= 1e6;
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(PythonPlanRulesTest, AReusedWorkerThatWasIdleDidNotInitialize) {
  AddTimedPython(0, 50, 60);
  stage().submit_ns = ApplicationBuilder::Time(0);
  EXPECT_TRUE(Finds("repeated-init"));
  builder_.AddStage(2, 0, 0);
  Stage& earlier = application().stages.back();
  earlier.submit_ns = ApplicationBuilder::Time(-1);
  earlier.details = "org.apache.spark.api.python.PythonRDD.collectAndServe(PythonRDD.scala)";
  EXPECT_FALSE(Finds("repeated-init"));
  Set({{"spark.python.worker.reuse", "false"}});
  EXPECT_TRUE(Finds("repeated-init"));
}

TEST_F(PythonPlanRulesTest, TasksOfRddsWithoutReuseStartWorkersEach) {
  stage().details = "org.apache.spark.api.python.PythonRDD.collectAndServe(PythonRDD.scala)";
  EXPECT_FALSE(Finds("repeated-init"));
  Set({{"spark.python.worker.reuse", "false"}});
  const Finding finding = Found("repeated-init");
  EXPECT_EQ(
      Weighed(finding),
      "high, saves 20.0 s (8.0 s to 50.0 s); wall of stage 3; spark.python.worker.reuse=false; 100.0% of the run time "
      "is neither CPU time of the JVM nor GC nor shuffle; the fastest task takes 10.0 s. How much of it are imports is "
      "unknown without a profile; symptom: tasks wait, most likely for Python, for 100.0% of their time");
  EXPECT_EQ(finding.title, "Stage 3: each of 8 tasks starts a Python worker of its own");
  EXPECT_EQ(finding.severity, Severity::kHigh);
  application().executors[0].cores = 2;  // fewer than eight tasks per core
  EXPECT_FALSE(Finds("repeated-init"));
}

TEST_F(PythonPlanRulesTest, AMillionRowsWithoutArrowArePickled) {
  PlanNode& python = AddPlan("BatchEvalPython", {Rows(1'000'000)});
  python.text = "BatchEvalPython [f(id#0L)], [pythonUDF0#3L]";
  const Finding finding = Found("pickled-rows");
  EXPECT_EQ(Weighed(finding), "medium, saves 3.2 s (1.6 s to 5.0 s); cpu; BatchEvalPython [f(id#0L)], [pythonUDF0#3L]");
  EXPECT_EQ(finding.title, "A Python function gets 1,000,000 rows pickled, without Arrow");
  EXPECT_EQ(finding.saving.likely_ns, ApplicationBuilder::Nanos(3.2));
  EXPECT_EQ(finding.frames, std::vector<std::string>{"collect at job.py:9"});
  python.metrics[0].value -= 1;
  EXPECT_FALSE(Finds("pickled-rows"));
  python.metrics.push_back(Size("data sent to Python workers", 100 << 20));
  python.text = "BatchEvalPython [f(struct(a, a#1, b, b#2, ... 146 more fields))#85], [pythonUDF0#3L]";
  EXPECT_EQ(Found("pickled-rows").title, "A Python function gets 75 columns of 999,999 rows pickled, without Arrow");
  python.metrics.pop_back();
  python.metrics[0].value += 1;
  python.name = "ArrowEvalPython";
  EXPECT_FALSE(Finds("pickled-rows"));
}

TEST_F(PythonPlanRulesTest, TenThousandBatchesOfFewRowsAreSmall) {
  PlanNode& python = AddPlan("MapInPandas", {Rows(1'000'000)});
  EXPECT_FALSE(Finds("small-arrow-batches"));
  Set({{"spark.sql.execution.arrow.maxRecordsPerBatch", "100"}});
  const Finding finding = Found("small-arrow-batches");
  EXPECT_EQ(Weighed(finding),
            "high, saves 20.0 s (8.0 s to 50.0 s); cpu; spark.sql.execution.arrow.maxRecordsPerBatch=100; 4 ms outside "
            "the JVM for each batch; symptom: tasks wait, most likely for Python, for 100.0% of their time");
  EXPECT_EQ(finding.title, "Python workers get their rows in batches of 100");
  python.metrics[0].value = 999'999;
  EXPECT_FALSE(Finds("small-arrow-batches"));
  python.metrics[0].value = 640'000;
  EXPECT_EQ(Found("small-arrow-batches").title, "Python workers get their rows in batches of 100, 6 ms for each");
  EXPECT_EQ(Found("small-arrow-batches").saving.low_ns, 0) << "the function may need it";
  python.metrics[0].value = 100'000'000;
  Set({{"spark.sql.execution.arrow.maxRecordsPerBatch", "1000"}});
  EXPECT_FALSE(Finds("small-arrow-batches"));
}

TEST_F(PythonPlanRulesTest, TasksOfTheJvmThatWaitAsForOneLockAreNamedWithoutASaving) {
  MetricColumn& cpu = tasks().Column(TaskMetric::kExecutorCpuTime);
  for (size_t task = 0; task < 8; ++task) cpu[task] = 5 * kSecond;
  const Finding finding = Found("sleep");
  EXPECT_EQ(Weighed(finding),
            "low, saves no known time; wall of stage 3; CPU time 40.0 s; the rest is neither GC nor shuffle; "
            "together the tasks use 1.0 cores, as if one lock let them compute one at a time");
  EXPECT_EQ(finding.title, "Stage 3: tasks use a CPU for only 50.0% of their run time");
  EXPECT_NE(finding.evidence.find("use 1.0 cores, as if one lock"), std::string::npos) << finding.evidence;
  EXPECT_EQ(finding.saving.likely_ns, 0);
  for (size_t task = 0; task < 8; ++task) cpu[task] = 6 * kSecond + 1;
  EXPECT_FALSE(Finds("sleep"));
}

}  // namespace
}  // namespace sparkprof
