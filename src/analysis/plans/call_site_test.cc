// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "analysis/plans/plan_text.h"

namespace sparkprof {
namespace {

TEST(ShortCallSiteTest, LeavesOutTheFolders) {
  EXPECT_EQ(ShortCallSite("collect at /home/me/jobs/demo.py:60"), "collect at demo.py:60");
  EXPECT_EQ(ShortCallSite("count at Job.scala:12"), "count at Job.scala:12");
  EXPECT_EQ(ShortCallSite("$anonfun$withThreadLocalCaptured$2 at CompletableFuture.java:1768"),
            "$anonfun$withThreadLocalCaptured$2 at CompletableFuture.java:1768");
  EXPECT_EQ(ShortCallSite("a/b"), "a/b");
}

TEST(ShortCallSiteTest, NamesTheNodeOfDbt) {
  EXPECT_EQ(ShortCallSite(R"(/* {"app": "dbt", "node_id": "model.shop.orders"} */ create table orders as select 1)"),
            "dbt model.shop.orders");
}

TEST(ShortCallSiteTest, MakesTheTextOfAQueryOneShortLine) {
  EXPECT_EQ(ShortCallSite("\n\nselect a,\r\n\tb\nfrom t\n"), "select a, b from t");
  const std::string query = ShortCallSite("select\n" + std::string(1000, 'x'));
  EXPECT_TRUE(query.size() <= 83 && query.ends_with("…")) << query;
}

TEST(CallInWordsTest, LeavesOutLinesThatAreNotOfTheProgram) {
  EXPECT_EQ(CallInWords("save at NativeMethodAccessorImpl.java:0"), "save");
  EXPECT_EQ(CallInWords("collect at /home/me/jobs/demo.py:60"), "collect at demo.py:60");
  EXPECT_EQ(CallInWords("select 1"), "select 1");
}

TEST(StepOfTest, AFlowComesBeforeANodeOfDbt) {
  Job job;
  EXPECT_EQ(StepOf(job), "");
  job.tags = {"flowers", "dbt:model.shop.orders"};
  EXPECT_EQ(StepOf(job), "dbt model.shop.orders");
  job.tags.emplace_back("flow:sales");
  EXPECT_EQ(StepOf(job), "flow sales");
}

}  // namespace
}  // namespace sparkprof
