// SPDX-License-Identifier: Apache-2.0
#include "model/query_text.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(DbtQueryTest, TheCommentNamesTheNode) {
  EXPECT_EQ(DbtNodeOf(R"(/* {"app": "dbt", "dbt_version": "1.9.1", "profile_name": "shop", "target_name": "dev", )"
                      R"("node_id": "model.shop.orders"} */
create or replace table shop.orders as select * from shop.raw_orders)"),
            "model.shop.orders");
  EXPECT_EQ(DbtNodeOf(R"(select 1 /* a test */ /*{"app":"dbt","node_id":"test.shop.not_null_orders_id.cf6c17"}*/)"),
            "test.shop.not_null_orders_id.cf6c17");
}

TEST(DbtQueryTest, OtherQueriesHaveNone) {
  EXPECT_EQ(DbtNodeOf(""), "");
  EXPECT_EQ(DbtNodeOf("select 1 /* \"dbt\" */"), "");
  EXPECT_EQ(DbtNodeOf(R"(/* {"app": "dbt", "connection_name": "list_None_dev"} */ show databases)"), "");
  EXPECT_EQ(DbtNodeOf(R"(/* {"app": "other", "like": "dbt", "node_id": "model.shop.orders"} */ select 1)"), "");
  EXPECT_EQ(DbtNodeOf(R"(select '"dbt"', "count at Job.scala:7")"), "");
}

TEST(DbtQueryTest, ATruncatedOrBrokenCommentIsNoComment) {
  EXPECT_EQ(DbtNodeOf(R"(/* {"app": "dbt", "node_id": "model.shop.o)"), "");
  EXPECT_EQ(DbtNodeOf(R"(/* {"app": "dbt", "node_id": */ select 1)"), "");
  EXPECT_EQ(DbtNodeOf(R"(/* {"app": "dbt", "node_id": 7} */ select 1)"), "");
}

TEST(DbtQueryTest, AReadableQueryHasTheNodeInPlaceOfTheComment) {
  constexpr char kComment[] = R"(/* {"app": "dbt", "node_id": "model.shop.orders"} */)";
  EXPECT_EQ(ReadableQuery(std::string(kComment) + "\ncreate table orders\n"),
            "dbt model.shop.orders: create table orders");
  EXPECT_EQ(ReadableQuery(std::string("create table ") + kComment + " orders"),
            "dbt model.shop.orders: create table orders");
  EXPECT_EQ(ReadableQuery(R"(/* {"app": "dbt", "connection_name": "list_None_dev"} */ show databases)"),
            "dbt: show databases");
  EXPECT_EQ(ReadableQuery(" select 1 "), " select 1 ");
}

TEST(ConnectCallSiteTest, IsTheLineOfTheClient) {
  const char* const plan = "Spark Connect - session_id: \"4aa8\"\nplan {\n  root {...";
  EXPECT_EQ(ReadableCallSite(
                plan, "plan {\n sort { call_site: \"/jobs/report.py:13\"\n read { call_site: \"/jobs/report.py:9\" }"),
            "Connect query at /jobs/report.py:13");
  EXPECT_EQ(ReadableCallSite(plan, "plan {\n sort { call_site: \"/jobs/rep"), "Connect query") << "cut off";
  EXPECT_EQ(ReadableCallSite("collect at job.py:1", "call_site: \"/jobs/report.py:13\""), "collect at job.py:1");
}

TEST(TableNameTest, HasThePartsThatSparkQuotes) {
  EXPECT_EQ(TableNameIn("false, Parquet, Append, `spark_catalog`.`default`.`sales`, org.apache.Index"),
            "spark_catalog.default.sales");
  EXPECT_EQ(TableNameIn("file:/w/a`b, `default`.`sales`"), "default.sales");
}

TEST(TableNameTest, ATextWithoutATableHasNone) {
  for (const char* const text : {"", "`", "a`.`", "`.`", "`a`", "file:/w/a", "`a`.`b"}) {
    EXPECT_EQ(TableNameIn(text), "") << text;
  }
}

}  // namespace
}  // namespace sparkprof
