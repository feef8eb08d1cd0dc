// SPDX-License-Identifier: Apache-2.0
#include "server/runs/run_store.h"

#include <gtest/gtest.h>

#include <fstream>

#include "base/testing/folder_test.h"
#include "server/runs/run_rows.h"

namespace sparkprof {
namespace {

constexpr auto kUnrecorded = [](const SuiteRun&, const Change& change) { return change(); };

class RunStoreTest : public FolderTest {
 protected:
  RunStoreTest() { store_ = std::move(*RunStore::Open(folder_)); }

  void Reopen() { store_ = std::move(*RunStore::Open(folder_)); }

  std::unique_ptr<RunStore> store_;
};

TEST_F(RunStoreTest, KeepsRunsAndTheirTablesOverARestart) {
  SuiteRun run;
  run.suite_name = "nightly";
  ASSERT_EQ(store_->Create(run, kUnrecorded)->id, 1);
  ASSERT_EQ(store_->Create(run, kUnrecorded)->id, 2);
  ASSERT_TRUE(store_->Append(2, RunTable::kLog, {R"({"message":"a"})"}));
  ASSERT_TRUE(store_->Append(2, RunTable::kLog, {R"({"message":"b"})"}));
  ASSERT_TRUE(store_->Update(2, R"({"overallStatus":"passed","endTime":77})", R"({"jobs":[]})", kUnrecorded));
  Reopen();
  EXPECT_EQ(store_->List().size(), 2U);
  EXPECT_EQ(store_->Get(2)->overall_status, "passed");
  EXPECT_EQ(store_->Get(2)->end_ms, 77);
  EXPECT_EQ(store_->Get(2)->suite_name, "nightly");
  EXPECT_EQ(*store_->ResultsOf(2), R"({"jobs":[]})");
  EXPECT_EQ(*store_->Read(2, RunTable::kLog), (std::vector<std::string>{R"({"message":"a"})", R"({"message":"b"})"}));
  EXPECT_EQ(store_->Create(run, kUnrecorded)->id, 3);
  EXPECT_EQ(*store_->Update(9, "{}", "", kUnrecorded), std::nullopt);
}

TEST_F(RunStoreTest, AChangeWithoutResultsKeepsThem) {
  ASSERT_TRUE(store_->Create({}, kUnrecorded));
  ASSERT_TRUE(store_->Update(1, "{}", R"({"jobs":[1]})", kUnrecorded));
  ASSERT_TRUE(store_->Update(1, R"({"user":"me"})", "", kUnrecorded));
  EXPECT_EQ(*store_->ResultsOf(1), R"({"jobs":[1]})");
}

TEST_F(RunStoreTest, ALineThatACrashCutOffDamagesNoOther) {
  ASSERT_TRUE(store_->Create({}, kUnrecorded));
  ASSERT_TRUE(store_->Append(1, RunTable::kProcesses, {R"({"pid":1})"}));
  std::ofstream(Path("runs/1/processes.jsonl"), std::ios::app) << R"({"pid":2,"comm)";
  Reopen();
  ASSERT_TRUE(store_->Append(1, RunTable::kProcesses, {R"({"pid":3})"}));
  EXPECT_EQ(*store_->Read(1, RunTable::kProcesses), (std::vector<std::string>{R"({"pid":1})", R"({"pid":3})"}));
}

std::string RowOf(std::span<const RunColumn> columns, const std::string& body) {
  const auto lines = ParseRunRows(columns, body);
  return lines ? lines->at(0) : lines.error().message;
}

TEST(RunRowsTest, AcceptsTheColumnsOfOlderHarnesses) {
  EXPECT_EQ(
      RowOf(RunColumns(), R"({"id":7,"suite_name":"s","start_time":"2017-06-01 10:00:00","overall_status":"PASS"})"),
      R"({"suiteName":"s","startTime":1496311200000,"overallStatus":"PASS"})");
  EXPECT_EQ(
      RowOf(
          ProcessColumns(),
          R"({"run_id":7,"pid":"12","pcpu":"529.5","cpu_time":"1-02:03:04","elapsed_time":"05:06","resident_size":4096})"),
      R"({"pid":12,"cpuPercent":529.5,"cpuSeconds":93784,"elapsedSeconds":306,"rssBytes":4096})");
}

TEST(RunRowsTest, RefusesWhatIsNoRow) {
  EXPECT_EQ(RowOf(LogColumns(), "[1]"), "row 1: expected a JSON object or an array of them");
  EXPECT_EQ(RowOf(LogColumns(), R"([{}, {"masage":"x"}])"), "row 2: unknown column 'masage'");
  EXPECT_EQ(RowOf(LogColumns(), R"({"msgTime":"soon"})"),
            "row 1: msgTime: expected ms since the Unix epoch or a time such as 2026-11-22T10:00:00Z");
  EXPECT_EQ(RowOf(ProcessColumns(), R"({"pid":-1})"), "row 1: pid: expected a number, at least 0");
  EXPECT_EQ(RowOf(LogColumns(), R"({"message":)"), "the body is not JSON");
}

TEST(RunRowsTest, LimitsTextsByCharacters) {
  std::string longest;
  for (int i = 0; i < 4'096; ++i) longest += "\u00e9";
  EXPECT_EQ(RowOf(LogColumns(), R"({"message":")" + longest + "\"}"), R"({"message":")" + longest + "\"}");
  EXPECT_EQ(RowOf(LogColumns(), R"({"message":")" + longest + "x\"}"),
            "row 1: message: expected a text of at most 4096 characters");
}

TEST(RunRowsTest, RemovesSecrets) {
  const std::string line = RowOf(ProcessColumns(), R"({"command":"java -Dpassword=hunter2 Main"})");
  EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
}

TEST(RunRowsTest, WritesCsv) {
  EXPECT_EQ(RunRowsCsv(LogColumns(), {R"({"msgTime":5,"message":"a,b"})", R"({"msgType":"end"})"}),
            "msgTime,msgType,message\n5,,\"a,b\"\n,end,\n");
}

}  // namespace
}  // namespace sparkprof
