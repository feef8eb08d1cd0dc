// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analysis/testing/application_builder.h"

namespace sparkprof {

// Two executors with two cores each from second 8 to 100. The driver plans for 2 s; stage 0 has 40 tasks of 3 s; after
// 2 s of adaptive execution stage 1 has a task of 40 s and six of 10 s; the driver's own code takes the last 18 s.
class WorkedExample {
 public:
  static constexpr int64_t kDuration = ApplicationBuilder::kDuration;

  WorkedExample() {
    for (const char* const id : {"1", "2"}) {
      const int32_t executor = builder_.AddExecutor(id, 2);
      application().executors[static_cast<size_t>(executor)].add_ns = ApplicationBuilder::Time(8);
    }
    AddSql();
    AddPart(0, 10, 40);
    AddPart(1, 42, 82);
    for (int task = 0; task < 40; ++task) {
      const double begin = 10 + task / 4 * 3;
      AddTask(0, task % 4, begin, begin + 3, {.cpu = 2, .gc = 0.4, .around = 0.11});
    }
    AddTask(1, 0, 42, 82, {.cpu = 30, .gc = 1.9, .fetch = 2, .around = 0.1});
    for (int task = 0; task < 6; ++task) {
      const double begin = 42 + task / 3 * 10;
      AddTask(1, 1 + task % 3, begin, begin + 10, {.cpu = 8.5, .gc = 0.4, .fetch = 0.5, .around = 0.1});
    }
  }

  Application& application() { return builder_.application(); }

 private:
  struct Metrics {
    double cpu = 0, gc = 0, fetch = 0, around = 0;  // seconds; around: of Spark's scheduler
  };

  void AddSql() {
    SqlExecution sql;
    sql.id = 0;
    sql.status = RunStatus::kSucceeded;
    sql.start_ns = ApplicationBuilder::Time(8);
    sql.end_ns = ApplicationBuilder::Time(82);
    sql.jobs = {0, 1};
    sql.plan.name = "BatchEvalPython";
    sql.plan.stages = {0};
    sql.plan.metrics = {{"time to run Python workers", "timing", 1, true, 12e9}};
    application().sql_executions.push_back(sql);
  }

  void AddPart(int64_t id, double begin, double end) {
    builder_.AddJob(id, {id}, 0);
    builder_.AddStage(id, 0, id);
    Job& job = application().jobs.back();
    Stage& stage = application().stages.back();
    job.submit_ns = stage.submit_ns = ApplicationBuilder::Time(begin);
    job.end_ns = stage.end_ns = ApplicationBuilder::Time(end);
    stage.task_count = id == 0 ? 40 : 7;
  }

  void AddTask(int32_t stage, int slot, double begin, double end, const Metrics& metrics) {
    Tasks& tasks = application().tasks;
    const size_t row = builder_.AddTask(static_cast<int64_t>(tasks.Size()), stage, slot / 2, begin, end, metrics.cpu);
    const auto set = [&](TaskMetric metric, double seconds) {
      tasks.Column(metric)[row] = ApplicationBuilder::Nanos(seconds);
    };
    set(TaskMetric::kExecutorRunTime, end - begin - metrics.around);
    set(TaskMetric::kSchedulerDelay, metrics.around);
    set(TaskMetric::kGcTime, metrics.gc);
    set(TaskMetric::kShuffleFetchWait, metrics.fetch);
  }

  ApplicationBuilder builder_;
};

}  // namespace sparkprof
