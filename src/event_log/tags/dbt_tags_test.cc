// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "event_log/tags/job_tags.h"

namespace sparkprof {
namespace {

using Tags = std::vector<std::string>;

constexpr char kQuery[] =
    R"(/* {"app": "dbt", "node_id": "model.shop.orders"} */ create table shop.orders as select 1)";

class DbtTagsTest : public testing::Test {
 protected:
  DbtTagsTest() {
    Job job;
    job.id = 1;
    job.sql_execution = 5;
    job.tags = {"nightly"};
    application_.jobs.push_back(job);
    SqlExecution execution;
    execution.id = 5;
    application_.sql_executions.push_back(execution);
  }

  const Tags& Added() {
    AddDbtTags(&application_);
    return application_.jobs[0].tags;
  }

  Application application_;
};

TEST_F(DbtTagsTest, AJobHasTheNodeOfItsDescription) {
  application_.jobs[0].description = kQuery;
  EXPECT_EQ(Added(), (Tags{"nightly", "dbt:model.shop.orders"}));
  EXPECT_EQ(Added().size(), 2u) << "once";
}

TEST_F(DbtTagsTest, OrThatOfItsQuery) {
  application_.jobs[0].description = "broadcast exchange";
  application_.sql_executions[0].description = kQuery;
  EXPECT_EQ(Added(), (Tags{"nightly", "dbt:model.shop.orders"}));
}

TEST_F(DbtTagsTest, OtherJobsHaveNone) {
  application_.jobs[0].description = "count at Job.scala:7";
  EXPECT_EQ(Added(), Tags{"nightly"});
}

}  // namespace
}  // namespace sparkprof
