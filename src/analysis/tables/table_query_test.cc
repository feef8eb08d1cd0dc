// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/table_query.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

// Four rows: IDs 0 to 3, in stages [0,1], [1], [2], none; each a second long.
Table Rows() {
  using enum ColumnType;
  using enum Visibility;
  const auto stages = [](size_t row) {
    constexpr std::string_view kStages[] = {"[0,1]", "[1]", "[2]", "[]"};
    return Cell(kStages[row]);
  };
  const auto time = [](int64_t offset_ms) {
    return [offset_ms](size_t row) { return Cell(static_cast<int64_t>(row) * 1000 + offset_ms); };
  };
  return {
      .name = "jobs",
      .rows = 4,
      .columns = {
          {"jobId", "", kInteger, kShown, [](size_t row) { return Cell(static_cast<int64_t>(row)); }, ColumnRole::kJob},
          {"stageIds", "", kJson, kShown, stages, ColumnRole::kStage},
          {"begin", "", kTime, kHidden, time(1000), ColumnRole::kBegin},
          {"end", "", kTime, kHidden, time(1999), ColumnRole::kEnd},
          {"half", "", kReal, kHidden,
           [](size_t row) { return row == 2 ? Cell() : Cell(static_cast<double>(row) / 2); }},
      }};
}

std::vector<int64_t> Ids(const Result<Table>& table) {
  EXPECT_TRUE(table) << table.error().message;
  std::vector<int64_t> ids;
  const TableColumn& column = table->columns[FindColumn(*table, "jobId").value()];
  for (size_t row = 0; row < table->rows; ++row) ids.push_back(std::get<int64_t>(column.cell(row)));
  return ids;
}

Result<Table> Apply(const std::string& where, const std::string& sort, const std::string& columns, int64_t limit) {
  const Result<TableQuery> query = TableQuery::Parse(where, sort, columns, limit);
  if (!query) return tl::unexpected(query.error());
  return query->Apply(Rows());
}

TEST(SelectRowsTest, ListsOfIdsAreSearched) {
  Selection selection;
  selection.stage = 1;
  EXPECT_EQ(Ids(SelectRows(Rows(), selection, 0)), (std::vector<int64_t>{0, 1}));
}

TEST(SelectRowsTest, RowsThatOverlapTheTimesAreSelected) {
  Selection selection;
  selection.from_ns = kNanosPerSecond;
  selection.to_ns = 2 * kNanosPerSecond;
  EXPECT_EQ(Ids(SelectRows(Rows(), selection, kNanosPerSecond)), (std::vector<int64_t>{1}));
}

TEST(SelectRowsTest, AnOptionWithoutAColumnIsAnErrorThatNamesTheOthers) {
  Selection selection;
  selection.executor = "1";
  const Result<Table> table = SelectRows(Rows(), selection, 0);
  ASSERT_FALSE(table);
  EXPECT_EQ(table.error().message,
            "--executor: the table jobs cannot be selected by it; use --where or --job, --stage, --from, --to");
}

TEST(TableQueryTest, FilterSortAndLimit) {
  EXPECT_EQ(Ids(Apply("jobId > 0", "jobId:desc", "", 2)), (std::vector<int64_t>{3, 2}));
  EXPECT_EQ(Apply("jobId > 0", "", "", 2)->note, "2 of 3 rows.\n");
  EXPECT_EQ(Ids(Apply("", "half:desc", "", -1)), (std::vector<int64_t>{3, 1, 0, 2})) << "unknown is last";
}

TEST(TableQueryTest, ColumnsAreChosenInTheirOrder) {
  const Result<Table> table = Apply("half = 1.5", "begin", "half, jobId", -1);
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->columns.size(), 2u);
  EXPECT_EQ(table->columns[0].name, "half");
  EXPECT_EQ(table->columns[0].visibility, Visibility::kShown);
  EXPECT_EQ(Ids(table), std::vector<int64_t>{3});
}

TEST(TableQueryTest, UnknownColumnsAreNamedWithTheOption) {
  for (const char* option : {"--where", "--sort", "--columns"}) {
    const std::string name = option;
    const Result<Table> table =
        Apply(name == "--where" ? "no = 1" : "", name == "--sort" ? "no" : "", name == "--columns" ? "no" : "", -1);
    ASSERT_FALSE(table);
    EXPECT_EQ(table.error().message,
              name + ": unknown column 'no' of jobs; use one of jobId, stageIds, begin, end, half");
  }
}

TEST(JoinTablesTest, ColumnsThatATableLacksAreUnknown) {
  Table other = Rows();
  other.columns.pop_back();
  std::vector<Table> tables = {std::move(other), Rows()};
  const Table joined = JoinTables(std::move(tables));
  EXPECT_EQ(joined.rows, 8u);
  const TableColumn& half = joined.columns[FindColumn(joined, "half").value()];
  EXPECT_TRUE(std::holds_alternative<std::monostate>(half.cell(3)));
  EXPECT_EQ(std::get<double>(half.cell(7)), 1.5);
}

}  // namespace
}  // namespace sparkprof
