// SPDX-License-Identifier: Apache-2.0
#include "analysis/machines/process_rows.h"

#include <gtest/gtest.h>

#include "analysis/tables/row_filter.h"
#include "analysis/tables/tables.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kStartNs = 1'700'000'000 * kNanosPerSecond;

class ProcessRowsTest : public testing::Test {
 protected:
  void Add(int64_t pid, int64_t parent, const std::string& role, int64_t first_ns, int64_t last_ns) {
    ApplicationProcess& row = application_.processes.emplace_back();
    row.process = {.pid = pid, .start_ticks = pid, .parent_pid = parent, .role = role};
    row.process.first_seen_ns = kStartNs + first_ns;
    row.process.last_seen_ns = kStartNs + last_ns;
  }

  void AddSeries(const std::string& name, std::vector<std::pair<int64_t, double>> points) {
    ApplicationSeries& series = application_.series.emplace_back();
    series.name = name;
    series.process = static_cast<int32_t>(application_.processes.size()) - 1;
    for (const auto& [time_ns, value] : points) series.points.push_back({kStartNs + time_ns, value});
  }

  Application application_;
};

TEST_F(ProcessRowsTest, ARowHasTotalsAndMaxima) {
  application_.id = "app-1";
  application_.executors.push_back({.id = "driver"});
  Add(10, 1, "jvm", 0, 3 * kNanosPerSecond);
  application_.processes.back().executor = 0;
  AddSeries("process.cpu_ns", {{0, 0}, {kNanosPerSecond, 2e9}, {3 * kNanosPerSecond, 3e9}});
  AddSeries("process.rss_bytes", {{0, 100}, {kNanosPerSecond, 50}});
  AddSeries("process.rss_peak_bytes", {{0, 120}});
  AddSeries("process.read_bytes", {{0, 7}, {1, 9}});
  const auto rows = ProcessRows(application_);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].type, "jvm_driver");
  EXPECT_EQ(rows[0].application_id, "app-1");
  EXPECT_EQ(rows[0].executor_id, "driver");
  EXPECT_EQ(rows[0].cpu_ns, 3 * kNanosPerSecond);
  EXPECT_DOUBLE_EQ(rows[0].max_cpu_percent, 200);
  EXPECT_EQ(rows[0].max_rss_bytes, 120);
  EXPECT_EQ(rows[0].read_bytes, 9);
  EXPECT_FALSE(rows[0].max_private_bytes) << "not recorded";
}

TEST_F(ProcessRowsTest, PointsTooCloseGiveNoPercentage) {
  Add(10, 1, "other", 0, 1);
  AddSeries("process.cpu_ns", {{0, 0}, {kNanosPerMilli, 1e7}});
  EXPECT_EQ(ProcessRows(application_)[0].max_cpu_percent, 0);
}

TEST_F(ProcessRowsTest, ChildrenWithoutARowCountForTheirParent) {
  Add(10, 1, "python_daemon", 0, 100);
  AddSeries("process.cpu_ns", {{0, 0}, {100, 1e9}});
  AddSeries("process.children_cpu_ns", {{0, 0}, {100, 5e9}});
  Add(11, 10, "python_worker", 0, 50);  // ended before its parent
  AddSeries("process.cpu_ns", {{50, 3e9}});
  Add(12, 10, "python_worker", 0, 100);  // still runs
  AddSeries("process.cpu_ns", {{100, 4e9}});
  const auto rows = ProcessRows(application_);
  EXPECT_EQ(rows[0].cpu_ns, 3 * kNanosPerSecond) << "1 s of its own, 5 s of children less 3 s with a row";
}

TEST_F(ProcessRowsTest, AGrandchildWithARowCountsOnlyForItself) {
  Add(10, 1, "jvm", 0, 100);
  AddSeries("process.children_cpu_ns", {{0, 0}, {100, 9e9}});
  Add(11, 10, "python_daemon", 0, 60);  // ended with its worker: not read again after it waited for it
  AddSeries("process.cpu_ns", {{50, 1e9}});
  AddSeries("process.children_cpu_ns", {{50, 0}});
  Add(12, 11, "python_worker", 0, 50);
  AddSeries("process.cpu_ns", {{50, 8e9}});
  EXPECT_EQ(ProcessRows(application_)[0].cpu_ns, 0);
}

TEST_F(ProcessRowsTest, AMonitorsOwnCountOfUnlistedChildrenIsUsed) {
  Add(10, 1, "other", 0, 100);
  AddSeries("process.children_cpu_ns", {{100, 5e9}});
  AddSeries("process.unlisted_children_cpu_ns", {{100, 2e9}});
  EXPECT_EQ(ProcessRows(application_)[0].cpu_ns, 2 * kNanosPerSecond);
}

TEST_F(ProcessRowsTest, AProcessInTwoDaysOfAHostIsOneRow) {
  application_.is_node = true;
  application_.settings = {{"monitor.host", "h"}};
  Add(10, 1, "other", 0, 100);
  application_.processes.back().process.started_ns = kStartNs;
  AddSeries("process.cpu_ns", {{100, 5e9}});
  Application next = application_;
  next.processes[0].process.last_seen_ns += 24 * 3600 * kNanosPerSecond;
  next.series[0].points = {{kStartNs + 200, 7e9}};
  Application after_boot = application_;
  after_boot.processes[0].process.started_ns += 3600 * kNanosPerSecond;
  std::vector<std::vector<ProcessRow>> rows = {ProcessRows(application_), ProcessRows(next), ProcessRows(after_boot)};
  MergeDays(&rows);
  ASSERT_EQ(rows[0].size(), 1u);
  EXPECT_EQ(rows[0][0].cpu_ns, 7 * kNanosPerSecond) << "since its start, not 12 s";
  EXPECT_EQ(rows[0][0].end_ns, next.processes[0].process.last_seen_ns);
  EXPECT_TRUE(rows[1].empty());
  EXPECT_EQ(rows[2].size(), 1u) << "the same PID and ticks, but another process";
}

TEST_F(ProcessRowsTest, AClockThatWasSetBackGivesNoImpossibleTime) {
  constexpr int64_t kHourNs = 3600 * kNanosPerSecond;
  Add(10, 1, "other", 0, 20 * kNanosPerSecond);
  application_.processes.back().process.started_ns = kStartNs + kHourNs;  // by the clock before
  AddSeries("process.cpu_ns", {{0, 5e9}, {kNanosPerSecond, 6e9}, {kHourNs + kNanosPerSecond, 7e9}});
  const auto rows = ProcessRows(application_);
  EXPECT_LE(rows[0].start_ns, rows[0].end_ns);
  EXPECT_LE(rows[0].max_cpu_percent, 100);
}

TEST_F(ProcessRowsTest, TheTableHasUnknownCellsForWhatWasNotRecorded) {
  Add(10, 1, "other", 0, 100);
  const Table table = ProcessesTable({&application_});
  const auto cell = [&table](std::string_view column) {
    return table.columns[FindColumn(table, column).value()].cell(0);
  };
  EXPECT_EQ(std::get<int64_t>(cell("startTime")), kStartNs / kNanosPerMilli);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(cell("maxRssBytes")));
}

}  // namespace
}  // namespace sparkprof
