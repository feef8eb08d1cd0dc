// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "analysis/testing/finding_test.h"

namespace sparkprof {

// An application with an executor of four cores; stages follow each other.
class QueriesTest : public FindingTest {
 protected:
  QueriesTest() : FindingTest(4) {}

  // A stage of four tasks that run at once, from the end of the one before.
  int64_t AddStage(double seconds, int64_t job = 0) {
    const int64_t id = next_stage_++;
    const int32_t row = builder_.AddStage(id, 0, job);
    application().stages.back().task_count = 4;
    for (int i = 0; i < 4; ++i) builder_.AddTask(next_task_++, row, executor_, now_, now_ + seconds, seconds);
    now_ += seconds;
    return id;
  }

  SqlExecution& AddQuery(double seconds, PlanNode plan, const std::string& line = "collect at job.py:9") {
    const int64_t stage = AddStage(seconds);
    SqlExecution& sql = application().sql_executions.emplace_back();
    sql.id = static_cast<int64_t>(application().sql_executions.size());
    sql.description = line;
    sql.start_ns = ApplicationBuilder::Time(now_ - seconds);
    sql.end_ns = ApplicationBuilder::Time(now_);
    plan.stages = {stage};
    for (PlanNode& child : plan.children) child.stages = {stage};
    sql.plan = std::move(plan);
    application().stages.back().sql_execution = sql.id;
    return sql;
  }

  void AddJobOf(int64_t stage, std::string name, double begin, double end, std::string description = {}) {
    builder_.AddJob(stage, {stage});
    Job& job = application().jobs.back();
    job.name = std::move(name);
    job.description = std::move(description);
    job.submit_ns = ApplicationBuilder::Time(begin);
    job.end_ns = ApplicationBuilder::Time(end);
    for (Stage& one : application().stages) {
      if (one.id == stage) one.job = job.id;
    }
  }

  int64_t next_stage_ = 0, next_task_ = 1;
  double now_ = 0;
};

}  // namespace sparkprof
