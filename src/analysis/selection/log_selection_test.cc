// SPDX-License-Identifier: Apache-2.0
#include "analysis/selection/log_selection.h"

#include <gtest/gtest.h>

#include <string>

namespace sparkprof {
namespace {

void Add(LogRecords* logs, int64_t time_ns, LogLevel level, uint32_t its_template, const std::string& text) {
  logs->time_ns.push_back(time_ns);
  logs->level.push_back(level);
  logs->executor.push_back(-1);
  logs->source.push_back(0);
  logs->line.push_back(static_cast<int64_t>(logs->line.size()) + 1);
  logs->template_row.push_back(its_template);
  logs->text += text;
  logs->text_end.push_back(logs->text.size());
  if (logs->templates.size() <= its_template) logs->templates.resize(its_template + 1);
  ++logs->templates[its_template].count;
}

LogRecords Busy() {
  LogRecords logs;
  logs.sources = {"driver.log"};
  for (int64_t i = 0; i < 10'000; ++i) Add(&logs, 1'000 + i, LogLevel::kInfo, 1, "Running task " + std::to_string(i));
  for (int64_t i = 0; i < 50; ++i) Add(&logs, 1'000 + 200 * i, LogLevel::kWarn, 2, "Lost task");
  Add(&logs, 5'000, LogLevel::kInfo, 3, "Submitted application");
  return logs;
}

TEST(LogSelectionTest, EverythingInOrderOfTimeWhereItFits) {
  const LogRecords logs = Busy();
  const std::vector<uint32_t> rows = ChooseRows(logs, {});
  ASSERT_EQ(rows.size(), logs.Size());
  for (size_t i = 1; i < rows.size(); ++i) EXPECT_LE(logs.time_ns[rows[i - 1]], logs.time_ns[rows[i]]);
}

TEST(LogSelectionTest, WhatIsSaidOftenIsThinnedEvenlyAndRareOrSevereRecordsStay) {
  const LogRecords logs = Busy();
  const std::vector<uint32_t> rows = ChooseRows(logs, {.rows = 500});
  size_t of_template[4] = {};
  size_t in_first_half = 0;
  for (const uint32_t row : rows) {
    ++of_template[logs.template_row[row]];
    if (logs.template_row[row] == 1 && row < 5'000) ++in_first_half;
  }
  EXPECT_LE(rows.size(), 500u);
  EXPECT_EQ(of_template[2], 50u);
  EXPECT_EQ(of_template[3], 1u);
  EXPECT_GE(of_template[1], 250u);
  EXPECT_NEAR(static_cast<double>(in_first_half), static_cast<double>(of_template[1]) / 2, 2);
}

TEST(LogSelectionTest, BytesCountToo) {
  const LogRecords logs = Busy();
  size_t bytes = 0;
  for (const uint32_t row : ChooseRows(logs, {.bytes = 2'000})) bytes += logs.Text(row).size();
  EXPECT_LE(bytes, 2'000u);
  EXPECT_GT(bytes, 500u);
}

TEST(LogSelectionTest, ARecordWithoutATimeStandsWithTheOneBefore) {
  LogRecords logs;
  logs.sources = {"stdout"};
  Add(&logs, 0, LogLevel::kNone, 0, "before all");
  Add(&logs, 70, LogLevel::kInfo, 0, "first");
  Add(&logs, 0, LogLevel::kNone, 0, "printed");
  EXPECT_EQ(TimesOf(logs), (std::vector<int64_t>{0, 70, 70}));
}

TEST(LogErrorsTest, KeptRecordsTellTheirErrorsWithStackTimeAndPlace) {
  LogRecords logs;
  logs.sources = {"stderr"};
  const std::string text =
      "24/05/01 10:00:00 ERROR Executor: Exception in task 1.0 in stage 2.0 (TID 3)\n"
      "java.lang.RuntimeException: outer\n\tat com.example.Job.run(Job.java:7)\n"
      "Caused by: java.io.IOException: disk\n\tat com.example.Disk.read(Disk.java:9)";
  Add(&logs, 1'000, LogLevel::kError, 0, text);
  Add(&logs, 2'000, LogLevel::kInfo, 0, "24/05/01 10:00:01 INFO Executor: fine");
  Add(&logs, 3'000, LogLevel::kError, 0, text);
  const std::vector<LogError> errors = ErrorsOf(logs);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].count, 2);
  EXPECT_EQ(errors[0].first_ns, 1'000);
  EXPECT_EQ(errors[0].last_ns, 3'000);
  EXPECT_EQ(errors[0].root_cause, "java.io.IOException: disk");
  EXPECT_EQ(errors[0].where, (std::vector<std::string>{"stderr:1", "stderr:3"}));
}

}  // namespace
}  // namespace sparkprof
