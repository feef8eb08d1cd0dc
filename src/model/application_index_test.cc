// SPDX-License-Identifier: Apache-2.0
#include "model/application_index.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace sparkprof {
namespace {

// The rows of the IDs, asked for one after the other.
std::vector<int32_t> RowsOf(const std::vector<int64_t>& ids) {
  Application application;
  ApplicationIndex index(&application);
  std::vector<int32_t> rows;
  for (const int64_t id : ids) rows.push_back(index.Task(id));
  return rows;
}

TEST(ApplicationIndexTest, EachTaskHasARowWhateverTheOrderOfIds) {
  EXPECT_EQ(RowsOf({0, 1, 0, 2, 1}), (std::vector<int32_t>{0, 1, 0, 2, 1}));
  EXPECT_EQ(RowsOf({7, 8, 9, 8, 7}), (std::vector<int32_t>{0, 1, 2, 1, 0}));
  EXPECT_EQ(RowsOf({7, 8, 10, 9, 8, 10, 7}), (std::vector<int32_t>{0, 1, 2, 3, 1, 2, 0}));
  EXPECT_EQ(RowsOf({5, 3, 4, 5, 3}), (std::vector<int32_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(RowsOf({INT64_MAX, INT64_MIN, INT64_MAX, -1}), (std::vector<int32_t>{0, 1, 0, 2}));
}

TEST(ApplicationIndexTest, TasksThatAreThereAlreadyAreKnown) {
  Application application;
  application.tasks.Append(4);
  application.tasks.Append(2);
  ApplicationIndex index(&application);
  EXPECT_EQ(index.Task(2), 1);
  EXPECT_EQ(index.Task(3), 2);
}

TEST(ApplicationIndexTest, ManyExecutorsAreToldApart) {
  Application application;
  ApplicationIndex index(&application);
  EXPECT_EQ(index.Executor(""), ApplicationIndex::kNone);
  EXPECT_EQ(index.Executor("<driver>"), 0);
  EXPECT_EQ(index.Executor("driver"), 0);
  for (int round = 0; round < 2; ++round) {
    for (int32_t executor = 1; executor <= 2000; ++executor)
      ASSERT_EQ(index.Executor("executor-with-a-long-name-" + std::to_string(executor)), executor);
  }
  EXPECT_EQ(application.executors.size(), 2001u);
}

}  // namespace
}  // namespace sparkprof
