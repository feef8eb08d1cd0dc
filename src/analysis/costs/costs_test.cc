// SPDX-License-Identifier: Apache-2.0
#include "analysis/costs/costs.h"

#include <gtest/gtest.h>

#include "analysis/answers.h"
#include "analysis/tables/tables.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

PriceList CoresOnly() { return {.currency = "USD", .core_hour = 3.6, .gb_hour = 0}; }

class CostsTest : public testing::Test {
 protected:
  // 100 s of an executor with two cores: 0.2 USD at 0.001 USD for a second.
  CostsTest() : executor_(builder_.AddExecutor("1", 2)) {
    const int32_t first = builder_.AddStage(3, 0, 0), second = builder_.AddStage(4, 0, 0);
    builder_.AddTask(1, first, executor_, 0, 30, 1);
    builder_.AddTask(2, second, executor_, 0, 50, 1);
  }

  ApplicationBuilder builder_;
  const int32_t executor_;
};

TEST_F(CostsTest, TasksCostTheirCoresAndTheRestIsWaste) {
  const Costs costs(builder_.application(), CoresOnly());
  ASSERT_TRUE(costs.IsKnown());
  EXPECT_NEAR(costs.Total(), 0.2, 1e-9);
  EXPECT_NEAR(costs.OfTasks(), 0.08, 1e-9);
  EXPECT_NEAR(costs.OfDuration(ApplicationBuilder::Nanos(50)), 0.1, 1e-9);
  EXPECT_EQ(
      CostLine(costs),
      "Cost           0.2 USD, of which 0.08 USD (40.0%) for tasks and 0.12 USD (60.0%) for cores without a task");
}

TEST_F(CostsTest, TablesHaveTheCostOfTheirTasks) {
  Table stages = StagesTable(builder_.application());
  const Costs costs(builder_.application(), CoresOnly());
  AddCostColumn(builder_.application(), costs, &stages);
  ASSERT_EQ(stages.columns.back().name, "cost");
  EXPECT_NEAR(std::get<double>(stages.columns.back().cell(0)), 0.03, 1e-9);
  EXPECT_NEAR(std::get<double>(stages.columns.back().cell(1)), 0.05, 1e-9);
  builder_.AddJob(0, {3, 4});
  builder_.application().jobs[0].tags = {"dbt:model.shop.orders"};
  Table tags = TagsTable(builder_.application());
  AddCostColumn(builder_.application(), costs, &tags);
  ASSERT_EQ(tags.columns.back().name, "cost");
  EXPECT_NEAR(std::get<double>(tags.columns.back().cell(0)), 0.08, 1e-9);
  Table executors = ExecutorsTable(builder_.application());
  const size_t columns = executors.columns.size();
  AddCostColumn(builder_.application(), costs, &executors);
  EXPECT_EQ(executors.columns.size(), columns);
}

TEST_F(CostsTest, AnswersHaveCostsWithPrices) {
  EXPECT_FALSE(Answer(builder_.application()).costs);
  const Answers answers = Answer(builder_.application(), CoresOnly());
  ASSERT_TRUE(answers.costs);
  EXPECT_EQ(answers.lines.back(), CostLine(*answers.costs));
  Finding finding;
  finding.saving = {ApplicationBuilder::Nanos(10), ApplicationBuilder::Nanos(15), ApplicationBuilder::Nanos(20)};
  EXPECT_EQ(CostText(answers.costs->OfSaving(finding), "USD"), "0.02–0.04 USD");
}

TEST_F(CostsTest, MemoryOfUnknownSizeHasNoCost) {
  const PriceList prices{.currency = "USD", .core_hour = 3.6, .gb_hour = 1};
  builder_.application().environment.clear();
  EXPECT_FALSE(Costs(builder_.application(), prices).IsKnown());
  EXPECT_FALSE(Answer(builder_.application(), prices).costs);
}

}  // namespace
}  // namespace sparkprof
