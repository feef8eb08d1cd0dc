// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/job_metrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

class JobMetricsTest : public testing::Test {
 protected:
  ApplicationRow Row(const std::string& id, const std::string& group, double seconds,
                     ApplicationStatus status = ApplicationStatus::kFinished) const {
    ApplicationRow row;
    row.key.id = id;
    row.group = group;
    row.status = status;
    row.start_ns = now_ns_;
    row.end_ns = now_ns_ + static_cast<int64_t>(seconds * kNanosPerSecond);
    row.cpu_ns = 2 * kNanosPerSecond;
    row.tasks = 10;
    row.findings = 1;
    return row;
  }
  bool Has(const std::string& line, bool open_metrics = false) const {
    return ("\n" + metrics_.Text(open_metrics)).find("\n" + line) != std::string::npos;
  }

  const int64_t now_ns_ = EpochNanos();
  JobMetrics metrics_{3};
};

TEST_F(JobMetricsTest, CountsAnApplicationOnceWhenItHasEnded) {
  metrics_.Consider(Row("app-1", "etl", 1, ApplicationStatus::kRunning), now_ns_);
  EXPECT_FALSE(Has("sparkprof_job_runs_total{"));
  metrics_.Consider(Row("app-1", "etl", 20), now_ns_);
  metrics_.Consider(Row("app-1", "etl", 20), now_ns_);
  metrics_.Consider(Row("app-2", "etl", 100, ApplicationStatus::kFailed), now_ns_);
  EXPECT_TRUE(Has("sparkprof_job_runs_total{group=\"etl\",status=\"finished\"} 1\n"));
  EXPECT_TRUE(Has("sparkprof_job_runs_total{group=\"etl\",status=\"failed\"} 1\n"));
  EXPECT_TRUE(Has("sparkprof_job_duration_seconds_bucket{group=\"etl\",le=\"15.0\"} 0\n"));
  EXPECT_TRUE(Has("sparkprof_job_duration_seconds_bucket{group=\"etl\",le=\"60.0\"} 1\n"));
  EXPECT_TRUE(Has("sparkprof_job_duration_seconds_bucket{group=\"etl\",le=\"+Inf\"} 2\n"));
  EXPECT_TRUE(Has("sparkprof_job_cpu_seconds_total{group=\"etl\"} 4\n"));
  EXPECT_TRUE(Has("sparkprof_job_last_duration_seconds{group=\"etl\"} 100\n"));
}

TEST_F(JobMetricsTest, ApplicationsOfARebuiltCatalogueAreNoNews) {
  metrics_.Consider(Row("app-1", "etl", 20), now_ns_ - 7200 * kNanosPerSecond);
  EXPECT_FALSE(Has("sparkprof_job_runs_total{"));
}

TEST_F(JobMetricsTest, TheNumberOfGroupsIsBounded) {
  for (int i = 0; i < 100; ++i) metrics_.Consider(Row(fmt::format("app-{}", i), fmt::format("g{}", i), 1), now_ns_);
  EXPECT_TRUE(Has("sparkprof_job_runs_total{group=\"g2\",status=\"finished\"} 1\n"));
  EXPECT_FALSE(Has("sparkprof_job_runs_total{group=\"g3\""));
  EXPECT_TRUE(Has("sparkprof_job_runs_total{group=\"[others]\",status=\"finished\"} 97\n"));
}

TEST_F(JobMetricsTest, UnknownTotalsAreNotCounted) {
  ApplicationRow row = Row("app-1", "etl", 1);
  row.cpu_ns = row.tasks = row.findings = -1;
  metrics_.Consider(row, now_ns_);
  EXPECT_TRUE(Has("sparkprof_job_tasks_total{group=\"etl\"} 0\n"));
}

TEST_F(JobMetricsTest, OpenMetricsHasTheApplicationAsExemplarAndAnEnd) {
  metrics_.Consider(Row("app-1", "a\"b\\c\nd", 20), now_ns_);
  const std::string text = metrics_.Text(true);
  EXPECT_NE(text.find("le=\"60.0\"} 1 # {application=\"app-1\"} 20 "), std::string::npos) << text;
  EXPECT_NE(text.find("# TYPE sparkprof_job_runs counter\n"), std::string::npos);
  EXPECT_TRUE(text.ends_with("# EOF\n"));
  EXPECT_EQ(metrics_.Text(false).find("application="), std::string::npos);
  EXPECT_NE(text.find("a\\\"b\\\\c"), std::string::npos);
}

}  // namespace
}  // namespace sparkprof
