// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/findings/finding_steps.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

using Lines = std::vector<std::string>;

// Stage 3 of a query that was sent as text to a server.
class FindingLinesTest : public testing::Test {
 protected:
  FindingLinesTest() {
    builder_.AddStage(3, 0, 0, "run at AccessController.java:0");
    builder_.application().stages[0].sql_execution = 5;
    SqlExecution sql;
    sql.id = 5;
    sql.description = "insert into shop.sales select * from shop.orders";
    sql.plan.name = "Execute InsertIntoHiveTable";
    sql.plan.text = "Execute InsertIntoHiveTable `shop`.`sales`, org.apache.hadoop";
    PlanNode scan;
    scan.name = "Scan hive shop.orders";
    scan.text = "Scan hive shop.orders [id#0]";
    scan.stages = {3};
    sql.plan.children = {scan};
    builder_.application().sql_executions = {sql};
  }

  Lines Named() {
    Finding finding;
    finding.stages = {3};
    NameLines(builder_.application(), NamesOfWork(builder_.application()), &finding);
    return finding.frames;
  }

  ApplicationBuilder builder_;
};

TEST_F(FindingLinesTest, AQueryWithoutALineHasTheTableThatItWrites) { EXPECT_EQ(Named(), Lines{"writes shop.sales"}); }

TEST_F(FindingLinesTest, OrTheTableThatTheStageReads) {
  builder_.application().sql_executions[0].plan.name = "Project";
  EXPECT_EQ(Named(), Lines{"reads shop.orders"});
}

TEST_F(FindingLinesTest, TheScriptThatStartsAToolIsNoLineOfTheProgram) {
  Application& application = builder_.application();
  application.stages[0].submit_ns = ApplicationBuilder::Time(10);
  application.stages[0].end_ns = ApplicationBuilder::Time(50);
  Process driver;
  driver.role = "python_driver";
  driver.pid = 77;
  application.processes.push_back({driver, builder_.AddExecutor("driver", 1)});
  const uint32_t thread = builder_.AddThread(77, "Python 77", 0);
  application.profile.threads[thread].process = 77;
  for (const char* const file : {"/venv/bin/dbt", "/home/me/job.py"}) {
    application.profile.samples.clear();
    const StackId stack = builder_.AddStack({builder_.AddFrame("<module>", FrameKind::kPython, file, 6)});
    builder_.AddSample(Event::kWall, 20, thread, kNoTask, stack, 20 * kNanosPerSecond, 20);
    application.python_samples = application.profile.samples;
    const bool is_script = std::string_view(file).ends_with(".py");
    EXPECT_EQ(Named(), Lines{is_script ? "<module> (job.py:6)" : "writes shop.sales"});
  }
}

TEST_F(FindingLinesTest, ALineOfTheProgramComesFirst) {
  builder_.application().stages[0].name = "save at Job.scala:9";
  EXPECT_EQ(Named(), Lines{"save at Job.scala:9"});
}

TEST_F(FindingLinesTest, TheLineOfTheStageWithTheLargestGainComesFirst) {
  builder_.AddStage(4, 0, 0, "count at Job.scala:4");
  builder_.AddStage(5, 0, 0, "save at Job.scala:5");
  Finding finding;
  finding.stages = {5, 4};
  NameLines(builder_.application(), NamesOfWork(builder_.application()), &finding);
  EXPECT_EQ(finding.frames, (Lines{"save at Job.scala:5", "count at Job.scala:4"}));
}

TEST_F(FindingLinesTest, AStageWithoutAQueryHasNone) {
  builder_.application().sql_executions.clear();
  EXPECT_EQ(Named(), Lines{});
}

}  // namespace
}  // namespace sparkprof
