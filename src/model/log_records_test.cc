// SPDX-License-Identifier: Apache-2.0
#include "model/log_records.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

void AddRecord(int64_t time_ns, LogLevel level, int32_t executor, uint32_t source, uint32_t row, std::string_view text,
               LogRecords* logs) {
  logs->time_ns.push_back(time_ns);
  logs->level.push_back(level);
  logs->executor.push_back(executor);
  logs->source.push_back(source);
  logs->line.push_back(time_ns * 10);
  logs->template_row.push_back(row);
  logs->text += text;
  logs->text_end.push_back(logs->text.size());
}

LogRecords First() {
  LogRecords logs;
  logs.sources = {"a.log"};
  logs.templates = {{}, {.text = "Lost <*>", .count = 2, .first_ns = 5, .last_ns = 9, .levels = {0, 0, 0, 0, 2}}};
  logs.dropped = 1;
  AddRecord(5, LogLevel::kWarn, 0, 0, 1, "Lost 1", &logs);
  return logs;
}

LogRecords Second() {
  LogRecords logs;
  logs.sources = {"b.log", "a.log"};
  logs.templates = {{},
                    {.text = "Done", .count = 1, .first_ns = 3, .last_ns = 3, .levels = {0, 0, 0, 1}},
                    {.text = "Lost <*>", .count = 4, .first_ns = 2, .last_ns = 7, .levels = {0, 0, 0, 0, 3, 1}}};
  logs.dropped = 6;
  AddRecord(3, LogLevel::kInfo, 1, 0, 1, "Done", &logs);
  AddRecord(4, LogLevel::kError, -1, 1, 2, "Lost 2", &logs);
  return logs;
}

TEST(LogRecordsTest, AppendedRecordsReferToTheTablesOfAll) {
  LogRecords logs = First();
  AppendLogs(Second(), {7, 8}, &logs);
  ASSERT_EQ(logs.Size(), 3u);
  EXPECT_EQ(logs.sources, (std::vector<std::string>{"a.log", "b.log"}));
  EXPECT_EQ(logs.source, (std::vector<uint32_t>{0, 1, 0}));
  EXPECT_EQ(logs.executor, (std::vector<int32_t>{0, 8, -1}));
  EXPECT_EQ(logs.time_ns, (std::vector<int64_t>{5, 3, 4}));
  EXPECT_EQ(logs.level, (std::vector<LogLevel>{LogLevel::kWarn, LogLevel::kInfo, LogLevel::kError}));
  EXPECT_EQ(logs.line, (std::vector<int64_t>{50, 30, 40}));
  EXPECT_EQ(logs.Text(0), "Lost 1");
  EXPECT_EQ(logs.Text(1), "Done");
  EXPECT_EQ(logs.Text(2), "Lost 2");
  EXPECT_EQ(logs.dropped, 7);
}

TEST(LogRecordsTest, EqualTemplatesAreAddedUp) {
  LogRecords logs = First();
  AppendLogs(Second(), {7, 8}, &logs);
  ASSERT_EQ(logs.templates.size(), 3u);
  EXPECT_EQ(logs.template_row, (std::vector<uint32_t>{1, 2, 1}));
  const LogTemplate& lost = logs.templates[1];
  EXPECT_EQ(lost.text, "Lost <*>");
  EXPECT_EQ(lost.count, 6);
  EXPECT_EQ(lost.first_ns, 2);
  EXPECT_EQ(lost.last_ns, 9);
  EXPECT_EQ(lost.levels[static_cast<size_t>(LogLevel::kWarn)], 5);
  EXPECT_EQ(lost.levels[static_cast<size_t>(LogLevel::kError)], 1);
  EXPECT_EQ(logs.templates[2].text, "Done");
  EXPECT_EQ(logs.templates[2].count, 1);
  EXPECT_EQ(logs.templates[2].first_ns, 3);
}

TEST(LogRecordsTest, UnknownTimesDoNotCount) {
  LogRecords logs = First(), other = Second();
  other.templates[2].first_ns = 0;
  AppendLogs(other, {7, 8}, &logs);
  EXPECT_EQ(logs.templates[1].first_ns, 5);
}

TEST(LogRecordsTest, RecordsBeyondTheLimitsAreCounted) {
  LogRecords logs = First();
  logs.text.resize(LogRecords::kMaxTextSize - 4);
  logs.text_end[0] = logs.text.size();
  AppendLogs(Second(), {7, 8}, &logs);  // 4 bytes fit, 6 more do not
  EXPECT_EQ(logs.Size(), 2u);
  EXPECT_EQ(logs.dropped, 8);
}

TEST(LogRecordsTest, LevelsHaveNames) {
  std::string names;
  for (size_t level = 0; level < kLogLevelCount; ++level) {
    names += std::string(LogLevelName(static_cast<LogLevel>(level))) + ",";
  }
  EXPECT_EQ(names, ",TRACE,DEBUG,INFO,WARN,ERROR,FATAL,");
}

}  // namespace
}  // namespace sparkprof
