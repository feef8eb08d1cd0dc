// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "render/writers/table_writers.h"

namespace sparkprof {
namespace {

std::string CsvOf(const Table& table) {
  std::string csv;
  WriteCsv(table, [&](std::string_view piece) { csv += piece; });
  return csv;
}

Table Example() {
  using enum ColumnType;
  using enum Visibility;
  const auto name = [](size_t row) -> Cell {
    return row == 0 ? std::string_view("a \"b\", c\nd") : std::string_view("plain");
  };
  return {.name = "example",
          .rows = 2,
          .columns = {{"id", "", kInteger, kShown, [](size_t row) -> Cell { return static_cast<int64_t>(row); }},
                      {"name", "", kText, kShown, name},
                      {"share", "", kShare, kShown, [](size_t row) -> Cell { return row == 0 ? Cell() : Cell(0.5); }},
                      {"ok", "", kBoolean, kHidden, [](size_t row) -> Cell { return row == 0; }}}};
}

TEST(TableTest, CsvQuotesWhatNeedsItAndLeavesTheUnknownEmpty) {
  EXPECT_EQ(CsvOf(Example()), "id,name,share,ok\n0,\"a \"\"b\"\", c\nd\",,true\n1,plain,0.5,false\n");
}

Table OfTexts(const std::vector<std::string>& texts) {
  return {.name = "texts",
          .rows = texts.size(),
          .columns = {
              {"text", "", ColumnType::kText, Visibility::kShown,
               [&texts](size_t row) -> Cell { return std::string_view(texts[row]); }},
              {"number", "", ColumnType::kInteger, Visibility::kShown, [](size_t) -> Cell { return int64_t{-1}; }}}};
}

TEST(TableTest, ASpreadsheetRunsNoTextOfACsvFile) {
  for (const std::string text : {"=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1", "-", "+cmd|'/c calc'!A0", "-inf", "=-5"}) {
    EXPECT_EQ(CsvOf(OfTexts({text})), "text,number\n'" + text + ",-1\n");
  }
  EXPECT_EQ(CsvOf(OfTexts({"\r=1", "=A(\"x\")"})), "text,number\n\"'\r=1\",-1\n\"'=A(\"\"x\"\")\",-1\n");
  for (const std::string text : {"-1", "-1.5e3", "a=b", "", "'=1", "1-1"}) {
    EXPECT_EQ(CsvOf(OfTexts({text})), "text,number\n" + text + ",-1\n");
  }
}

TEST(TableTest, ProgramsGetTextsAsTheyAre) {
  const std::vector<std::string> texts{"=1+1"};
  std::string csv;
  WriteCsv(
      OfTexts(texts), [&](std::string_view piece) { csv += piece; }, CsvTexts::kRaw);
  EXPECT_EQ(csv, "text,number\n=1+1,-1\n");
}

TEST(TableTest, ATableWithoutRowsStillNamesItsColumns) {
  Table table = Example();
  table.rows = 0;
  EXPECT_EQ(CsvOf(table), "id,name,share,ok\n");
}

TEST(TableTest, CsvOfManyRowsComesInPieces) {
  Table table = Example();
  table.rows = 100'000;
  size_t pieces = 0, lines = 0;
  WriteCsv(table, [&](std::string_view piece) {
    ++pieces;
    for (const char c : piece) lines += c == '\n';
  });
  EXPECT_GT(pieces, 10u);
  EXPECT_EQ(lines, 100'002u);  // one name holds a line end
}

}  // namespace
}  // namespace sparkprof
