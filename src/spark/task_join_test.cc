// SPDX-License-Identifier: Apache-2.0
#include "spark/task_join.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr int64_t kTid = 77;

TEST(TaskJoin, ASampleInsideAnIntervalBelongsToItsTask) {
  TaskJoin join;
  join.Begin(kTid, 5, 100);
  join.End(kTid, 5, 200);
  EXPECT_EQ(join.Find(kTid, 100, true).task, 5);
  EXPECT_EQ(join.Find(kTid, 199, false).category, Category::kTask);
  EXPECT_NE(join.Find(kTid, 200, true).category, Category::kTask);
  EXPECT_EQ(join.Find(kTid + 1, 150, false).category, Category::kNone);
}

}  // namespace
}  // namespace sparkprof
