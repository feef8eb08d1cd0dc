// SPDX-License-Identifier: Apache-2.0
#include "loader/lineage.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparkprof {
namespace {

using Tags = std::vector<std::string>;

// Events of the listener: only the application's first event has its ID, and only events of jobs have theirs.
constexpr char kApplication[] =
    R"({"eventTime":"t","producer":"p","eventType":"START","run":{"runId":"r0","facets":{"spark_applicationDetails":)"
    R"({"applicationId":"app-1"}}},"job":{"namespace":"n","name":"shop"},"inputs":[],"outputs":[]})";
constexpr char kStart[] =
    R"({"eventTime":"t","producer":"p","eventType":"START","run":{"runId":"r1","facets":{"parent":{"run":)"
    R"({"runId":"r0"}}}},"job":{"namespace":"n","name":"shop.insert.sales"},"inputs":[{"namespace":"s3://lake",)"
    R"("name":"shop/orders","facets":{"symlinks":{"identifiers":[{"namespace":"hive","name":"shop.orders",)"
    R"("type":"TABLE"}]}}}]})";
constexpr char kRunning[] =
    R"({"eventTime":"t","producer":"p","eventType":"RUNNING","run":{"runId":"r1","facets":{"spark_jobDetails":)"
    R"({"jobId":3}}},"job":{"namespace":"n","name":"shop.insert.sales"},"inputs":[],"outputs":[]})";
constexpr char kComplete[] =
    R"({"eventTime":"t","producer":"p","eventType":"COMPLETE","run":{"runId":"r1"},"job":{"name":"other"},)"
    R"("inputs":[{"namespace":"file","name":"/in","facets":{"symlinks":{"identifiers":[{"namespace":"file",)"
    R"("name":"/old","type":"LOCATION"}]}}}],"outputs":[{"namespace":"hdfs://nn","name":"/sales"},7]})";

class LineageTest : public testing::Test {
 protected:
  LineageTest() {
    application_.id = "app-1";
    for (const int64_t id : {3, 4, 5}) {
      Job& job = application_.jobs.emplace_back();
      job.id = id;
      job.sql_execution = id == 5 ? -1 : 9;
    }
  }

  Lineage lineage_;
  Application application_;
};

TEST_F(LineageTest, TheJobsOfARunHaveItsNamesAndDatasets) {
  // In any order.
  for (const char* const event : {kComplete, kRunning, kStart, kApplication}) EXPECT_TRUE(lineage_.Add(event));
  lineage_.AddTags(false, &application_);
  const Tags tags{"lineage:other", "run:r1", "input:file:/in", "input:shop.orders", "output:hdfs://nn/sales"};
  EXPECT_EQ(application_.jobs[0].tags, tags);
  EXPECT_EQ(application_.jobs[1].tags, tags) << "a job of the same query";
  EXPECT_TRUE(application_.jobs[2].tags.empty());
  lineage_.AddTags(false, &application_);
  EXPECT_EQ(application_.jobs[0].tags, tags) << "once";
}

TEST_F(LineageTest, RunsOfAnotherApplicationAreNotItsOwn) {
  for (const char* const event : {kApplication, kStart, kRunning}) EXPECT_TRUE(lineage_.Add(event));
  application_.id = "app-2";
  lineage_.AddTags(true, &application_);
  EXPECT_TRUE(application_.jobs[0].tags.empty());
}

TEST_F(LineageTest, RunsOfAnUnknownApplicationAreOfTheOnlyOne) {
  for (const char* const event : {kStart, kRunning}) EXPECT_TRUE(lineage_.Add(event));
  lineage_.AddTags(false, &application_);
  EXPECT_TRUE(application_.jobs[0].tags.empty());
  lineage_.AddTags(true, &application_);
  EXPECT_EQ(application_.jobs[0].tags, (Tags{"lineage:shop.insert.sales", "run:r1", "input:shop.orders"}));
}

TEST_F(LineageTest, APropertyMayHaveTheApplication) {
  EXPECT_TRUE(
      lineage_.Add(R"({"run":{"runId":"r","facets":{"spark_jobDetails":{"jobId":5},"spark_properties":{"properties":)"
                   R"({"spark.app.id":"app-1"}}}}})"));
  lineage_.AddTags(false, &application_);
  EXPECT_EQ(application_.jobs[2].tags, Tags{"run:r"});
}

TEST_F(LineageTest, OtherTextIsRefused) {
  for (const char* const text : {"", "7", "{", "[]", "{}", R"({"run":{}})", R"({"run":{"runId":7}})"}) {
    EXPECT_FALSE(lineage_.Add(text)) << text;
  }
}

TEST_F(LineageTest, SecretsInNamesAreRedacted) {
  EXPECT_TRUE(lineage_.Add(R"({"run":{"runId":"r","facets":{"spark_jobDetails":{"jobId":5}}},"outputs":[)"
                           R"({"namespace":"jdbc:postgresql://me:hunter22@db/shop","name":"orders"}]})"));
  lineage_.AddTags(true, &application_);
  EXPECT_EQ(application_.jobs[2].tags.back().find("hunter22"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
