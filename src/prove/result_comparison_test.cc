// SPDX-License-Identifier: Apache-2.0
#include "prove/result_comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "base/testing/folder_test.h"
#include "model/segment/block.h"

namespace sparkprof {
namespace {

using RecordedFingerprintsTest = FolderTest;

struct Sums {
  int64_t rows = 50;
  int64_t id = 7, name = 8, row = 9;     // sums of hashes
  double amount = 1000, weighted = 400;  // sums of a floating-point column
  std::string part;                      // "" = all
  std::string names = R"("id","name","amount")";
  std::string types = R"("bigint","string","double")";
};

RecordedFingerprints FingerprintsOf(const Sums& sums) {
  const auto bits = [](double number) { return std::bit_cast<int64_t>(number); };
  RecordedFingerprints fingerprints;
  AddFingerprintEvent(
      fmt::format(R"({{"Event":"SparkprofQueryResult","executionId":0,"part":"{}","sortColumns":[0],"names":[{}],)"
                  R"("types":[{}],"rows":{},"hash":[0,0,{}],)"
                  R"("columns":[[0,0,{}],[2,0,{}],[0,0,0,{},0,0,0,{},{},{},{},{}]]}})",
                  sums.part, sums.names, sums.types, sums.rows, sums.row, sums.id, sums.name, sums.rows, bits(-1),
                  bits(90), bits(sums.amount), bits(1002), bits(sums.weighted)),
      &fingerprints);
  return fingerprints;
}

Application RunOfOneQuery() {
  Application application;
  application.ended = true;
  SqlExecution& execution = application.sql_executions.emplace_back();
  execution.id = execution.root_id = 0;
  execution.description = "save at job.py:3";
  execution.status = RunStatus::kSucceeded;
  return application;
}

ResultComparison Compared(const std::vector<Sums>& before, const Sums& after) {
  ResultComparison comparison;
  for (const Sums& sums : before) comparison.AddBefore(RunOfOneQuery(), FingerprintsOf(sums));
  comparison.AddAfter(RunOfOneQuery(), FingerprintsOf(after));
  return comparison;
}

std::string TextOfDifference(const std::vector<Sums>& before, const Sums& after) {
  const ResultComparison comparison = Compared(before, after);
  return comparison.Different().empty() ? "" : comparison.Different().front().text;
}

TEST(ResultComparison, EqualSumsAreEqualResults) {
  const ResultComparison comparison = Compared({{}, {}}, {});
  EXPECT_EQ(comparison.Equal(), 1U);
  EXPECT_TRUE(comparison.ComparesValues());
  EXPECT_TRUE(comparison.Unchecked().empty());
}

TEST(ResultComparison, NamesTheColumnWithOtherValues) {
  EXPECT_EQ(TextOfDifference({{}, {}}, {.name = 80, .row = 90}), "has other values in column name");
  EXPECT_EQ(Compared({{}}, {.name = 80}).Different().front().columns, std::vector<std::string>{"name"});
  EXPECT_EQ(TextOfDifference({{}}, {.id = 1, .name = 2, .row = 3}), "has other values in columns id, name");
}

TEST(ResultComparison, ValuesOfColumnsMayNotChangeRows) {
  EXPECT_EQ(TextOfDifference({{}}, {.row = 90}), "has the values of its columns in other rows");
  EXPECT_EQ(TextOfDifference({{}}, {.weighted = 401}), "has other values in column amount");
}

TEST(ResultComparison, FloatingPointNumbersMayDifferByRounding) {
  EXPECT_EQ(TextOfDifference({{}}, {.amount = 1000 + 1e-10}), "");
  EXPECT_EQ(TextOfDifference({{}}, {.amount = 1000.01}), "has other values in column amount");
  EXPECT_EQ(TextOfDifference({{.types = R"("bigint","string","float")"}},
                             {.amount = 1000.001, .types = R"("bigint","string","float")"}),
            "");
}

TEST(ResultComparison, NamesOtherColumnsAndRows) {
  EXPECT_EQ(TextOfDifference({{}}, {.names = R"("name","id","amount")"}),
            "has columns name bigint, id string, amount double instead of id bigint, name string, amount double");
  EXPECT_EQ(TextOfDifference({{}}, {.rows = 40}), "has 40 rows instead of 50");
}

TEST(ResultComparison, LeavesOutColumnsThatDifferWithoutAChange) {
  const ResultComparison comparison = Compared({{}, {.name = 80, .row = 90}}, {.name = 81, .row = 91});
  EXPECT_TRUE(comparison.Different().empty());
  EXPECT_EQ(comparison.Equal(), 1U);
  EXPECT_EQ(comparison.Unchecked(), std::vector<std::string>{"1 query: column name differs from run to run"});
  EXPECT_EQ(TextOfDifference({{}, {.name = 80, .row = 90}}, {.id = 1, .name = 81}), "has other values in column id");
}

TEST(ResultComparison, RunsTheProgramAgainBeforeItBlamesTheChange) {
  ResultComparison comparison = Compared({{}}, {.name = 80, .row = 90});
  EXPECT_TRUE(comparison.NeedsRunBefore());
  comparison.AddBefore(RunOfOneQuery(), FingerprintsOf({.name = 81, .row = 91}));
  EXPECT_FALSE(comparison.NeedsRunBefore());
  EXPECT_TRUE(comparison.Different().empty());
}

TEST(ResultComparison, CountsOnlyTheRowsOfAResultThatIsShownInPart) {
  EXPECT_EQ(Compared({{.part = "some"}}, {.name = 80, .part = "some"}).Unchecked(),
            std::vector<std::string>{"1 query: it shows some rows only"});
  EXPECT_EQ(TextOfDifference({{.part = "some"}}, {.rows = 49, .part = "some"}), "has 49 rows instead of 50");
}

TEST(ResultComparison, TheFirstRowsOfAnOrderMayDifferWhereItLeavesTies) {
  EXPECT_EQ(Compared({{.part = "first"}}, {.name = 80, .part = "first"}).Unchecked(),
            std::vector<std::string>{"1 query: it returns the first rows of an order with ties"});
  EXPECT_EQ(TextOfDifference({{.part = "first"}}, {.id = 80, .part = "first"}), "has other values in column id");
}

TEST(ResultComparison, SaysWhyThereAreNoFingerprints) {
  RecordedFingerprints none;
  AddFingerprintEvent(R"({"Event":"SparkprofQueryResult","executionId":-1,"unchecked":"Spark 2.4"})", &none);
  ResultComparison comparison;
  comparison.AddBefore(RunOfOneQuery(), none);
  EXPECT_EQ(comparison.Unchecked().front(), "the values of all queries: Spark 2.4");
}

TEST(ResultFingerprint, EstimatesHowManyRowsDiffer) {
  ResultFingerprint before, after;
  before.cells.resize(4 * ResultFingerprint::kCells);
  after.cells = before.cells;
  EXPECT_EQ(DifferentRows(before, after), 0);
  after.cells[3] = 7;  // half of the rows are in the first cells
  EXPECT_NEAR(DifferentRows(before, after).value(), 2, 0.1);
  std::fill_n(after.cells.begin(), ResultFingerprint::kCells, 1);  // all of them: too many to count
  after.cells[ResultFingerprint::kCells] = 1;
  EXPECT_NEAR(DifferentRows(before, after).value(), 4, 0.2);
  std::fill(after.cells.begin(), after.cells.end(), 1);
  EXPECT_EQ(DifferentRows(before, after), std::nullopt);
}

TEST(ResultFingerprint, AQueryWithinAnotherCountsAsItsResult) {
  Application run = RunOfOneQuery();
  SqlExecution& inner = run.sql_executions.emplace_back();
  inner.id = 1;
  inner.root_id = 0;
  RecordedFingerprints fingerprints;
  fingerprints.of_executions[1] = FingerprintsOf({}).of_executions.at(0);
  EXPECT_EQ(ResultsOf(run, fingerprints)[0].rows, 50);
  fingerprints.of_executions[2] = fingerprints.of_executions[1];
  EXPECT_EQ(ResultsOf(run, fingerprints).size(), 1U);
}

TEST_F(RecordedFingerprintsTest, AreThoseOfTheApplication) {
  for (const char* application : {"app-1", "app-2"}) {
    Segment segment;
    segment.source.application_id = application;
    segment.spark_events = {
        fmt::format(R"({{"Event":"SparkprofQueryResult","executionId":0,"unchecked":"{}"}})", application)};
    Write(std::string(application) + ".sprof", EncodeBlock(segment));
  }
  const Result<RecordedFingerprints> read = ReadFingerprints(folder_, "app-2");
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->of_executions.size(), 1U);
  EXPECT_EQ(read->of_executions.at(0).unchecked, "app-2");
  EXPECT_EQ(ReadFingerprints(folder_, "app-3")->problem, "the plugin recorded no fingerprints");
}

TEST(ResultFingerprint, IgnoresDamagedEvents) {
  RecordedFingerprints fingerprints;
  AddFingerprintEvent(R"({"Event":"SparkprofQueryResult","executionId":4,"rows":"many"})", &fingerprints);
  AddFingerprintEvent(R"({"Event":"SparkprofQueryResult")", &fingerprints);
  AddFingerprintEvent(R"({"Event":"SparkListenerJobEnd","x":"SparkprofQueryResult"})", &fingerprints);
  ASSERT_EQ(fingerprints.of_executions.size(), 1U);
  EXPECT_EQ(fingerprints.of_executions.at(4).unchecked, "its fingerprint is unreadable");
}

}  // namespace
}  // namespace sparkprof
