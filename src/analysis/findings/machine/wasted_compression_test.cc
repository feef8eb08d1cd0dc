// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/testing/finding_test.h"

namespace sparkprof {
namespace {

class WastedCompressionTest : public StageFindingTest {
 protected:
  WastedCompressionTest() : StageFindingTest(4) { builder_.AddTask(1, stage_, executor_, 0, 50, 50); }

  void Shuffle(double rows_bytes, double written_bytes) {
    SqlExecution sql;
    sql.id = 5;
    sql.plan.name = "Exchange";
    sql.plan.stages = {3};
    sql.plan.metrics = {Size("data size", rows_bytes), Size("shuffle bytes written", written_bytes)};
    application().sql_executions = {sql};
  }
};

TEST_F(WastedCompressionTest, BlocksAsLargeAsTheirRowsNeedNoCodec) {
  Shuffle(8e9, 7.8e9);
  EXPECT_EQ(Found("ineffective-compression").title, "Compression saves nothing of 7.3 GiB of shuffle");
  Set({{"spark.shuffle.compress", "false"}});
  EXPECT_FALSE(Finds("ineffective-compression"));
}

TEST_F(WastedCompressionTest, UsualBlocksAndSmallShufflesAreLeftAlone) {
  Shuffle(8e9, 3e9);
  EXPECT_FALSE(Finds("ineffective-compression"));
  Shuffle(5e8, 5e8);
  EXPECT_FALSE(Finds("ineffective-compression"));
}

}  // namespace
}  // namespace sparkprof
