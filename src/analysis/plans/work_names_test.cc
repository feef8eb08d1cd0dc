// SPDX-License-Identifier: Apache-2.0
#include "analysis/plans/work_names.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace sparkprof {
namespace {

// The work of a stage with these operators, in the order of the data.
std::string WorkOf(const std::vector<std::string>& operators) {
  Application application;
  application.stages.emplace_back().id = 0;
  PlanNode plan;
  for (const std::string& name : operators) {
    PlanNode node;
    node.name = name;
    node.stages = {0};
    if (!plan.name.empty()) node.children.push_back(std::move(plan));
    plan = std::move(node);
  }
  application.sql_executions.emplace_back().plan = std::move(plan);
  return NamesOfWork(application).stages[0].work;
}

TEST(WorkNamesTest, JoinsInARowAreCounted) {
  EXPECT_EQ(WorkOf({"Scan parquet db.store_sales", "Filter", "BroadcastHashJoin", "Project", "BroadcastHashJoin",
                    "Project", "Filter", "BroadcastHashJoin", "Project", "Sort"}),
            "scan store_sales → filter → 3 broadcast joins → sort");
}

TEST(WorkNamesTest, OtherJoinsAndWorkBetweenThemAreTold) {
  EXPECT_EQ(WorkOf({"Scan parquet db.sales", "BroadcastHashJoin", "Project", "SortMergeJoin", "Sort", "SortMergeJoin"}),
            "scan sales → broadcast join → merge join → sort → merge join");
}

TEST(WorkNamesTest, EqualStepsInARowAreOne) {
  EXPECT_EQ(WorkOf({"Scan parquet db.sales", "Filter", "Project", "Filter", "Project"}), "scan sales → filter");
}

}  // namespace
}  // namespace sparkprof
