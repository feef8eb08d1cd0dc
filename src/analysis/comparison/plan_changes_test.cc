// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "analysis/comparison/compared_runs.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

using Names = std::vector<std::string>;

PlanNode Chain(const Names& names) {
  PlanNode root;
  root.name = names.front();
  if (names.size() > 1) root.children.push_back(Chain({names.begin() + 1, names.end()}));
  return root;
}

void AddQuery(Application* application, int64_t id, const std::string& description, double seconds,
              const Names& operators) {
  SqlExecution sql;
  sql.id = id;
  sql.description = description;
  sql.start_ns = ApplicationBuilder::Time(1);
  sql.end_ns = ApplicationBuilder::Time(1 + seconds);
  sql.plan = Chain(operators);
  application->sql_executions.push_back(std::move(sql));
}

TEST(PlanChangesTest, OperatorsOfOnlyOneRunAreNamed) {
  ApplicationBuilder before, after;
  AddQuery(&before.application(), 3, "collect at /home/me/job.py:12", 9,
           {"WholeStageCodegen (1)", "SortMergeJoin", "Sort", "Sort", "Scan parquet t1"});
  AddQuery(&after.application(), 4, "collect at /home/me/job.py:14", 2,
           {"WholeStageCodegen (7)", "BroadcastHashJoin", "Scan parquet t2"});
  const std::vector<PlanChange> changes = ComparePlans(before.application(), after.application());
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].name, "collect at job.py:14");
  EXPECT_EQ(changes[0].before_id, 3);
  EXPECT_EQ(changes[0].after_id, 4);
  EXPECT_EQ(changes[0].after_ns - changes[0].before_ns, ApplicationBuilder::Nanos(-7));
  EXPECT_EQ(changes[0].gone, (Names{"Sort ×2", "SortMergeJoin"}));
  EXPECT_EQ(changes[0].added, Names{"BroadcastHashJoin"});
}

TEST(PlanChangesTest, EqualPlansMatchBeforeTheOrderDecides) {
  ApplicationBuilder before, after;
  AddQuery(&before.application(), 0, "count at job.py:1", 1, {"Scan"});
  AddQuery(&before.application(), 1, "count at job.py:1", 1, {"Sort"});
  AddQuery(&after.application(), 0, "count at job.py:1", 1, {"Sort"});
  AddQuery(&after.application(), 1, "count at job.py:1", 1, {"Scan"});
  EXPECT_TRUE(ComparePlans(before.application(), after.application()).empty());
}

TEST(PlanChangesTest, TheLargestChangeOfTheDurationIsFirst) {
  ApplicationBuilder before, after;
  AddQuery(&before.application(), 0, "first", 1, {"Scan"});
  AddQuery(&before.application(), 1, "second", 1, {"Scan"});
  AddQuery(&after.application(), 0, "first", 2, {"Sort"});
  AddQuery(&after.application(), 1, "second", 9, {"Sort"});
  const std::vector<PlanChange> changes = ComparePlans(before.application(), after.application());
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].name, "second");
}

TEST(PlanChangesTest, AQueryOfOnlyOneRunIsNoChangeOfAPlan) {
  ApplicationBuilder before, after;
  AddQuery(&before.application(), 0, "first", 1, {"Scan"});
  AddQuery(&after.application(), 0, "another", 1, {"Sort"});
  EXPECT_TRUE(ComparePlans(before.application(), after.application()).empty());
}

}  // namespace
}  // namespace sparkprof
