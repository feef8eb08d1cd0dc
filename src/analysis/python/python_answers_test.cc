// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/python/python_waits.h"
#include "analysis/python/udfs.h"
#include "analysis/testing/python_application.h"
#include "analysis/time/stage_summary.h"

namespace sparkprof {
namespace {

TEST(UdfsTest, AFunctionCostsWhatItAndItsCalleesUsed) {
  PythonApplication example;
  Application& application = example.application();
  application.udfs = {{10, 200, "score", "/home/me/job.py", 10}, {10, 100, "never_called", "/home/me/job.py", 90}};
  example.AddPython(Event::kCpu, 2, example.score(), 700, ThreadState::kRunning);
  example.AddPython(Event::kWall, 2, example.score(), 800, ThreadState::kRunning);
  example.AddPython(Event::kCpu, 3, example.score_deeper(), 70, ThreadState::kRunning);
  example.AddPython(Event::kWall, 3, example.score_deeper(), 80, ThreadState::kRunning);
  example.AddPython(Event::kCpu, 3, example.load(), 5'000, ThreadState::kRunning);
  const std::vector<UdfCost> costs = CostOfUdfs(application);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].name, "score");
  EXPECT_EQ(costs[0].line, 10);
  EXPECT_EQ(EvalTypeName(costs[0].eval_type), "SQL_SCALAR_PANDAS_UDF");
  EXPECT_EQ(costs[0].stages, std::vector<int64_t>{4});
  EXPECT_EQ(costs[0].cpu_ns, 770);
  EXPECT_EQ(costs[0].wall_ns, 880);
  EXPECT_EQ(costs[0].samples, 2);
  EXPECT_EQ(costs[1].name, "never_called");
  EXPECT_EQ(costs[1].samples, 0);
}

TEST(UdfsTest, LambdasOfOneFileAreToldApartByTheirLines) {
  PythonApplication example;
  Application& application = example.application();
  application.udfs = {{10, 100, "<lambda>", "/j.py", 10}, {10, 100, "<lambda>", "/j.py", 20}};
  const auto add = [&](uint32_t line, int64_t weight) {
    const StackId stack = example.builder().AddStack({example.Python("<lambda>", "/j.py", line)});
    example.AddPython(Event::kCpu, 2, stack, weight, ThreadState::kRunning);
  };
  add(10, 1);
  add(11, 2);
  add(20, 40);
  add(5, 800);  // another lambda before both
  const std::vector<UdfCost> costs = CostOfUdfs(application);
  ASSERT_EQ(costs.size(), 2u);
  EXPECT_EQ(costs[0].line, 20);
  EXPECT_EQ(costs[0].cpu_ns, 40);
  EXPECT_EQ(costs[1].cpu_ns, 3);
}

TEST(UdfsTest, TheOutermostFunctionHasTheSampleAndOneUsedTwoWaysIsTwo) {
  PythonApplication example;
  Application& application = example.application();
  example.builder().AddTask(11, example.stage(), example.executor(), 1, 9);
  application.udfs = {{10, 100, "Model.score", "/home/me/job.py", 10},
                      {10, 100, "help", "/home/me/job.py", 3},
                      {11, 0, "Model.score", "/home/me/job.py", 10}};
  example.AddPython(Event::kCpu, 2, example.score_deeper(), 70, ThreadState::kRunning, 10);
  example.AddPython(Event::kCpu, 2, example.score(), 900, ThreadState::kRunning, 11);
  const std::vector<UdfCost> costs = CostOfUdfs(application);
  ASSERT_EQ(costs.size(), 3u);
  EXPECT_EQ(costs[0].eval_type, 0);
  EXPECT_EQ(costs[0].cpu_ns, 900);
  EXPECT_EQ(costs[1].name, "Model.score");
  EXPECT_EQ(costs[1].cpu_ns, 70);
  EXPECT_EQ(costs[2].cpu_ns, 0);
  EXPECT_EQ(EvalTypeName(999), "EVAL_TYPE_999");
}

TEST(PythonWaitsTest, TheFourStatesAddUpToTheStagesWallTime) {
  PythonApplication example;
  example.AddJvm(Event::kWall, 2, example.wait(), 7'100, PythonState::kRunning);
  example.AddJvm(Event::kWall, 2, example.wait(), 400, PythonState::kWaiting);
  example.AddJvm(Event::kWall, 2, example.run(), 2'000, PythonState::kWaiting);
  example.AddJvm(Event::kWall, 2, example.run(), 500, PythonState::kRunning);
  example.AddJvm(Event::kCpu, 2, example.run(), 77'000, PythonState::kUnknown);
  Application& application = example.application();
  const std::vector<StageWaits> stages = WaitsOfStages(application, KindsOfStacks(application));
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].stage, 4);
  EXPECT_EQ(stages[0].jvm_waiting_python_busy, 7'100);
  EXPECT_EQ(stages[0].both_waiting, 400);
  EXPECT_EQ(stages[0].jvm_busy_python_waiting, 2'000);
  EXPECT_EQ(stages[0].jvm_busy_python_busy, 500);
  EXPECT_EQ(WaitsInWords(stages[0]),
            "75.0% waiting for Python: 71% Python-bound, 20% JVM-bound, 5% both busy, 4% both wait");
  // The same number as in the summary and in findings.
  const PythonWait wait = PythonWaitOf(SummarizeStages(application, KindsOfStacks(application)));
  EXPECT_EQ(wait.wait_ns, stages[0].waiting_for_python);
  EXPECT_EQ(wait.all_ns, stages[0].Total());
}

TEST(PythonWaitsTest, StagesWithoutPythonAreNotInIt) {
  PythonApplication example;
  example.AddJvm(Event::kWall, 2, example.run(), 2'000, PythonState::kUnknown);
  const Application& application = example.application();
  EXPECT_TRUE(WaitsOfStages(application, KindsOfStacks(application)).empty());
}

TEST(PythonWaitsTest, AWorkerThatWasNotSampledIsTakenAsBusyWhileTheJvmWaitsForIt) {
  PythonApplication example;
  example.AddJvm(Event::kWall, 2, example.wait(), 300, PythonState::kUnknown);
  const Application& application = example.application();
  const std::vector<StageWaits> stages = WaitsOfStages(application, KindsOfStacks(application));
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].jvm_waiting_python_busy, 300);
}

}  // namespace
}  // namespace sparkprof
