// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/tables/row_choice.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class ReportTasksTest : public testing::Test {
 protected:
  ReportTasksTest() {
    const int32_t executor = builder_.AddExecutor("1", 4);
    const int32_t first = builder_.AddStage(0, 0, 0), second = builder_.AddStage(1, 0, 0);
    for (int64_t tid = 0; tid < 10'000; ++tid) {
      const double begin = static_cast<double>(tid) / 100;
      builder_.AddTask(tid, tid < 9'000 ? first : second, executor, begin, begin + (tid == 4321 ? 5 : 0.01));
    }
    builder_.application().tasks.outcome[777] = TaskOutcome::kFailed;
  }

  ApplicationBuilder builder_;
};

TEST_F(ReportTasksTest, AllOfThemWhereThereIsRoom) {
  EXPECT_EQ(ChooseTasks(builder_.application(), {}, {true, true}, 10'000).size(), 10'000u);
}

TEST_F(ReportTasksTest, NamedSlowestAndFailedOnesComeFirstTheRestEvenly) {
  Finding finding;
  finding.selection.tasks = {5'555};
  const std::vector<uint32_t> rows = ChooseTasks(builder_.application(), {finding}, {true, true}, 500);
  EXPECT_LE(rows.size(), 500u);
  EXPECT_GE(rows.size(), 400u);
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
  for (const uint32_t row : {777u, 4321u, 5'555u}) EXPECT_TRUE(std::binary_search(rows.begin(), rows.end(), row));
  const auto of_second = std::count_if(rows.begin(), rows.end(), [](uint32_t row) { return row >= 9'000; });
  EXPECT_NEAR(static_cast<double>(of_second), static_cast<double>(rows.size()) / 10, 5);
}

TEST_F(ReportTasksTest, FailuresTakeAQuarterAtMost) {
  Tasks& tasks = builder_.application().tasks;
  for (size_t row = 1'000; row < 2'000; ++row) tasks.outcome[row] = TaskOutcome::kFailed;
  const std::vector<uint32_t> rows = ChooseTasks(builder_.application(), {}, {true, true}, 400);
  const auto failed =
      std::count_if(rows.begin(), rows.end(), [&](uint32_t row) { return tasks.outcome[row] == TaskOutcome::kFailed; });
  EXPECT_LE(rows.size(), 400u);
  EXPECT_GE(rows.size(), 390u);
  EXPECT_GE(failed, 100);
  EXPECT_LE(failed, 140);  // with those that the even choice hits
}

TEST_F(ReportTasksTest, TheRestIsEven) {
  builder_.application().tasks.outcome[777] = TaskOutcome::kSucceeded;
  const std::vector<uint32_t> rows = ChooseTasks(builder_.application(), {}, {true, true}, 102);
  // The slowest of each stage, and every hundredth of all.
  std::vector<uint32_t> expected;
  for (uint32_t row = 0; row < 10'000; row += 100) expected.push_back(row);
  expected.insert(std::upper_bound(expected.begin(), expected.end(), 4'321u), 4'321u);
  std::vector<uint32_t> missing;
  std::set_difference(expected.begin(), expected.end(), rows.begin(), rows.end(), std::back_inserter(missing));
  EXPECT_EQ(missing, std::vector<uint32_t>());
  EXPECT_LE(rows.size(), 102u);
}

TEST_F(ReportTasksTest, NoneOfAStageThatIsNotShown) {
  EXPECT_EQ(ChooseTasks(builder_.application(), {}, {false, true}, 10'000).size(), 1'000u);
  const std::vector<uint32_t> rows = ChooseTasks(builder_.application(), {}, {false, true}, 100);
  EXPECT_GE(rows.size(), 50u);
  EXPECT_GE(rows.front(), 9'000u);
}

}  // namespace
}  // namespace sparkprof
