// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/answers.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {

// An application of 100 s with a task of 50 s on an executor of four cores, for rules of applications as a whole.
class ApplicationRulesTest : public testing::Test {
 protected:
  ApplicationRulesTest() : executor_(builder_.AddExecutor("1", 4)), stage_(builder_.AddStage(3, 0, 0)) {
    task_ = builder_.AddTask(1, stage_, executor_, 0, 50, 50);
  }

  Application& application() { return builder_.application(); }

  std::optional<Finding> Find(std::string_view rule) {
    Answers answers = Answer(builder_.application());
    for (std::vector<Finding>* list : {&answers.findings, &answers.context}) {
      for (Finding& finding : *list) {
        if (finding.rule == rule) return std::move(finding);
      }
    }
    return std::nullopt;
  }

  void AddJobBetween(int64_t id, double begin, double end) {
    builder_.AddJob(id, {3});
    application().jobs.back().submit_ns = ApplicationBuilder::Time(begin);
    application().jobs.back().end_ns = ApplicationBuilder::Time(end);
    application().jobs.back().name = "collect at job.py:7";
  }

  // A join of two ranges in stage 3.
  void AddJoin(double rows_each, double rows_out) {
    const auto rows = [](double value) { return PlanMetric{"number of output rows", "sum", 1, true, value}; };
    SqlExecution sql;
    sql.id = 5;
    sql.description = "collect at job.py:9";
    sql.plan.name = "SortMergeJoin";
    sql.plan.text = "SortMergeJoin [id#0L], [id#2L], Inner";
    sql.plan.stages = {3};
    sql.plan.metrics = {rows(rows_out)};
    PlanNode range;
    range.name = "Range";
    range.metrics = {rows(rows_each)};
    PlanNode sort;
    sort.name = "Sort";
    sort.children = {range};
    sql.plan.children = {sort, sort};
    application().sql_executions = {sql};
  }

  void AddScan(double files, double bytes) {
    SqlExecution sql;
    sql.id = 5;
    sql.plan.name = "Scan csv";
    sql.plan.stages = {3};
    sql.plan.metrics = {{"number of files read", "sum", 1, true, files},
                        {"size of files read", "size", 2, true, bytes}};
    application().sql_executions = {sql};
  }

  ApplicationBuilder builder_;
  const int32_t executor_;
  const int32_t stage_;
  size_t task_;
};

}  // namespace sparkprof
