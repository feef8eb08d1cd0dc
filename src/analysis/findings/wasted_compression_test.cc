// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/testing/application_rules.h"

namespace sparkprof {
namespace {

class WastedCompressionTest : public ApplicationRulesTest {
 protected:
  void Shuffle(double rows_bytes, double written_bytes) {
    SqlExecution sql;
    sql.id = 5;
    sql.plan.name = "Exchange";
    sql.plan.stages = {3};
    sql.plan.metrics = {{"data size", "size", 1, true, rows_bytes},
                        {"shuffle bytes written", "size", 2, true, written_bytes}};
    application().sql_executions = {sql};
  }
};

TEST_F(WastedCompressionTest, BlocksAsLargeAsTheirRowsNeedNoCodec) {
  Shuffle(8e9, 7.8e9);
  ASSERT_TRUE(Find("ineffective-compression").has_value());
  EXPECT_EQ(Find("ineffective-compression")->title, "Compression saves nothing of 7.3 GiB of shuffle");
  application().environment = {{"Spark", {{"spark.shuffle.compress", "false"}}}};
  EXPECT_FALSE(Find("ineffective-compression").has_value());
}

TEST_F(WastedCompressionTest, UsualBlocksAndSmallShufflesAreLeftAlone) {
  Shuffle(8e9, 3e9);
  EXPECT_FALSE(Find("ineffective-compression").has_value());
  Shuffle(5e8, 5e8);
  EXPECT_FALSE(Find("ineffective-compression").has_value());
}

}  // namespace
}  // namespace sparkprof
