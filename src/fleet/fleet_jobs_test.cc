// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "base/testing/folder_test.h"
#include "catalogue/duckdb/duckdb_scratch.h"
#include "fleet/fleet_result.h"
#include "fleet/fleet_store.h"

namespace sparkprof {
namespace {

class FleetJobsTest : public FolderTest {
 protected:
  void SetUp() override {
    if (const auto library = LoadDuckdb(); !library) GTEST_SKIP() << library.error().message;
  }

  // One run after the other, each with a query of the plan.
  void Run(const std::string& name, const std::string& plan) {
    ++runs_;
    const std::string keys =
        fmt::format(R"("date":"2026-11-25","id":"app-{}","attempt":"","source":"/logs/{}")", runs_, runs_);
    rows_ += fmt::format("applications\t{{{},\"name\":\"{}\",\"start\":{},\"coreHours\":1}}\n", keys, name,
                         1'700'000'000'000 + runs_);
    rows_ += fmt::format("queries\t{{{},\"sql\":0,\"plan\":\"short\",\"taskHours\":0.1}}\n", keys);
    rows_ += fmt::format("queries\t{{{},\"sql\":1,\"plan\":\"{}\",\"taskHours\":2}}\n", keys, plan);
  }

  // "etl * 4, …": jobs and their runs.
  std::string Jobs() {
    {
      Result<FleetStore> store = FleetStore::Open(folder_, FleetLayout::kFlat);
      if (!store) return store.error().message;
      if (const auto added = store->Add({"/logs/1", "1"}, rows_); !added) return added.error().message;
      if (const auto kept = store->Commit(); !kept) return kept.error().message;
    }
    Result<ScratchDatabase> database = ScratchDatabase::Open();
    if (const auto made = database->Run(JobTableSql(folder_)); !made) return made.error().message;
    const auto jobs = database->Texts(
        "SELECT string_agg(job || ' ' || runs, ', ' ORDER BY job) FROM (SELECT job, count(*) AS runs FROM jobs GROUP "
        "BY job)");
    return jobs ? jobs->front() : jobs.error().message;
  }

  int runs_ = 0;
  std::string rows_;
};

TEST_F(FleetJobsTest, RunsOfOneNameAreOneJob) {
  for (int day = 1; day <= 9; ++day) Run(fmt::format("etl 2026-11-0{}", day), "aaaaaaaa");
  EXPECT_EQ(Jobs(), "etl * 9");
}

TEST_F(FleetJobsTest, PlansThatAlternateAreSeveralJobs) {
  for (int day = 1; day <= 8; ++day) Run("Spark shell", day % 2 == 0 ? "aaaaaaaa" : "bbbbbbbb");
  Run("Spark shell", "once");
  EXPECT_EQ(Jobs(), "Spark shell 1, Spark shell · plan aaaaaa 4, Spark shell · plan bbbbbb 4");
}

TEST_F(FleetJobsTest, APlanThatFollowsAnotherIsTheSameJob) {
  for (int day = 1; day <= 8; ++day) Run("etl", day < 5 ? "aaaaaaaa" : "bbbbbbbb");
  EXPECT_EQ(Jobs(), "etl 8");
}

TEST_F(FleetJobsTest, TheLogsOfAPlansRunsAreFoundByTheJobsName) {
  for (int day = 1; day <= 8; ++day) Run("Spark shell", day % 2 == 0 ? "aaaaaaaa" : "bbbbbbbb");
  Jobs();
  const auto logs = LogsOfJob(folder_, "Spark shell · plan aaaaaa");
  ASSERT_TRUE(logs) << logs.error().message;
  EXPECT_EQ(*logs, (std::vector<std::string>{"/logs/8", "/logs/6", "/logs/4", "/logs/2"}));
  EXPECT_EQ(LogsOfJob(folder_, "Spark shell")->size(), 8U) << "the name of all";
}

}  // namespace
}  // namespace sparkprof
