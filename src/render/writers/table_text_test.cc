// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "render/writers/display_width.h"
#include "render/writers/table_writers.h"

namespace sparkprof {
namespace {

std::string TextOf(const Table& table, const TableTextStyle& style = {}) {
  std::string text;
  WriteText(table, style, [&](std::string_view piece) { text += piece; });
  return text;
}

// Two stages of a job with a long name.
Table Stages() {
  using enum ColumnType;
  using enum Visibility;
  const auto number = [](int64_t first, int64_t second) {
    return [=](size_t row) { return Cell(row == 0 ? first : second); };
  };
  return {
      .name = "stages",
      .rows = 2,
      .columns =
          {
              {"stageId", "", kInteger, kShown, number(3, 12)},
              {"name", "", kLongText, kShown,
               [](size_t row) {
                 return Cell(std::string_view(row == 0 ? "count at Job.scala:12 of a very long line" : "écrit\nmore"));
               }},
              {"duration", "", kMillis, kShown, number(1200, 0)},
              {"inputBytes", "", kBytes, kShown, number(340 << 20, 0)},
              {"gpuMs", "", kMillis, kShown, [](size_t) { return Cell(); }},
              {"share", "", kShare, kShown, [](size_t row) { return row == 0 ? Cell(0.124) : Cell(); }},
              {"details", "", kLongText, kHidden, [](size_t) { return Cell(std::string_view("hidden")); }},
          },
      .note = "A note.\n"};
}

TEST(TableTextTest, ValuesHaveUnitsAndNumbersAreAlignedToTheRight) {
  EXPECT_EQ(TextOf(Stages()),
            "stageId  duration  inputBytes  share  name\n"
            "      3     1.2 s     340 MiB  12.4%  count at Job.scala:12 of a very long line\n"
            "     12         0           0      -  écrit\n"
            "A note.\n");
}

TEST(TableTextTest, LongTextsAreShortenedToFitTheTerminal) {
  EXPECT_EQ(TextOf(Stages(), {.width = 60}),
            "stageId  duration  inputBytes  share  name\n"
            "      3     1.2 s     340 MiB  12.4%  count at Job.scala:12…\n"
            "     12         0           0      -  écrit\n"
            "A note.\n");
}

TEST(TableTextTest, AFileAndItsLineStayAtTheEndOfALongText) {
  Table table = Stages();
  table.columns[1].cell = [](size_t row) {
    return Cell(std::string_view(row == 0 ? "count at /home/ana/jobs/demo_job.py:60" : "collect at other_job.py:7"));
  };
  for (const size_t width : {40, 50, 60}) {
    const std::string text = TextOf(table, {.width = width});
    EXPECT_NE(text.find("…demo_job.py:60\n"), std::string::npos) << text;
    EXPECT_NE(text.find("other_job.py:7\n"), std::string::npos) << text;
  }
}

TEST(TableTextTest, NamesGetTwoLinesBeforeColumnsAreDropped) {
  EXPECT_EQ(TextOf(Stages(), {.width = 52}),
            "stage              input\n"
            "   Id  duration    Bytes  share  name\n"
            "    3     1.2 s  340 MiB  12.4%  count at Job.scala…\n"
            "   12         0        0      -  écrit\n"
            "A note.\n");
}

TEST(TableTextTest, ColumnsThatDoNotFitAreDroppedAndNamed) {
  EXPECT_EQ(TextOf(Stages(), {.width = 45}),
            "stage              input\n"
            "   Id  duration    Bytes  name\n"
            "    3     1.2 s  340 MiB  count at Job.scala…\n"
            "   12         0        0  écrit\n"
            "A note.\n"
            "Without share: select columns with --columns,\n"
            "or use --json or --csv.\n");
}

TEST(TableTextTest, ColumnsWithoutValuesAreDroppedFirst) {
  Table table = Stages();
  table.columns[2].cell = [](size_t) { return Cell(int64_t{0}); };
  EXPECT_NE(TextOf(table, {.width = 45}).find("Without duration: "), std::string::npos);
}

TEST(TableTextTest, NamedColumnsAreKept) {
  Table table = Stages();
  for (TableColumn& column : table.columns) column.visibility = Visibility::kShown;
  const std::string text = TextOf(table, {.width = 20, .keep_columns = true});
  EXPECT_TRUE(text.starts_with("stage  ")) << text;
  EXPECT_NE(text.find("details"), std::string::npos) << text;
  EXPECT_EQ(text.find("Without"), std::string::npos) << text;
}

TEST(TableTextTest, ColorsDoNotChangeTheAlignment) {
  std::string text = TextOf(Stages(), {.width = 60, .color = true});
  EXPECT_NE(text.find("\x1b[1m"), std::string::npos);
  for (size_t at = text.find('\x1b'); at != std::string::npos; at = text.find('\x1b'))
    text.erase(at, text.find('m', at) + 1 - at);
  EXPECT_EQ(text, TextOf(Stages(), {.width = 60}));
}

TEST(TableTextTest, ControlCharactersDoNotReachTheTerminal) {
  EXPECT_EQ(CellText(std::string_view("a\x1b[31mb"), ColumnType::kText).find('\x1b'), std::string::npos);
}

TEST(TableTextTest, UnitsOfRows) {
  EXPECT_EQ(CellText(2048.0, ColumnType::kByUnit, "bytes"), "2.0 KiB");
  EXPECT_EQ(CellText(1500.0, ColumnType::kByUnit, "ms"), "1.5 s");
  EXPECT_EQ(CellText(0.5, ColumnType::kByUnit, "share"), "50.0%");
  EXPECT_EQ(CellText(17.0, ColumnType::kByUnit), "17");
  EXPECT_EQ(CellText(int64_t{1'700'000'000'000}, ColumnType::kTime), "2023-11-14T22:13:20.000Z");
}

TEST(DisplayWidthTest, WideAndCombiningCharacters) {
  EXPECT_EQ(DisplayWidth("日本"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
  EXPECT_EQ(ShortenToWidth("日本語", 5), "日本…");
  EXPECT_EQ(ShortenToWidth("abc", 3), "abc");
  EXPECT_EQ(ShortenToWidth("abcd", 3), "ab…");
  EXPECT_EQ(ShortenStartToWidth("日本語", 5), "…本語");
  EXPECT_EQ(ShortenStartToWidth("日本語", 4), "…語");
  EXPECT_EQ(ShortenStartToWidth("abc", 3), "abc");
  EXPECT_EQ(ShortenStartToWidth("abcd", 3), "…cd");
}

TEST(TableJsonTest, UnknownIsNullAndNamesWithDotsAreObjects) {
  using enum ColumnType;
  using enum Visibility;
  const Table table{.name = "tasks",
                    .rows = 1,
                    .columns = {{"id", "", kInteger, kShown, [](size_t) { return Cell(int64_t{7}); }},
                                {"in.bytes", "", kBytes, kShown, [](size_t) { return Cell(int64_t{1}); }},
                                {"in.rows", "", kInteger, kShown, [](size_t) { return Cell(); }},
                                {"list", "", kJson, kShown, [](size_t) { return Cell(std::string_view("[1,2]")); }}}};
  std::string json;
  WriteJson(table, [&](std::string_view piece) { json += piece; });
  EXPECT_EQ(json, "[\n{\"id\":7,\"in\":{\"bytes\":1,\"rows\":null},\"list\":[1,2]}\n]\n");
  EXPECT_EQ(RowJson(table, 0, /*flat=*/true), "{\"id\":7,\"in.bytes\":1,\"in.rows\":null,\"list\":[1,2]}");
}

}  // namespace
}  // namespace sparkprof
