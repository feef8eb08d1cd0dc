// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/selection/selection.h"
#include "analysis/tables/row_filter.h"
#include "analysis/tables/table.h"
#include "base/result.h"

namespace sparkprof {

// Tables to tables.

// The rows of all tables, at least one, under the columns of the first to have each. A cell is unknown where its table
// lacks the column.
Table JoinTables(std::vector<Table> tables);

Table KeepRows(Table table, std::vector<uint32_t> rows);

// The rows that match the selection's job, stage, tasks, SQL execution, node, executor and times. Times of the
// selection are since `start_ns`; a row without an end lasts. Fails for members for which the table has no column.
Result<Table> SelectRows(Table table, const Selection& selection, int64_t start_ns);

// Fails, with the options for those roles, if the selection has other members.
Result<void> CheckSelection(std::string_view table, const Selection& selection, const std::vector<ColumnRole>& roles);

// Which rows and columns of a table to print, and in which order.
class TableQuery {
 public:
  // Parses the values of --where, --sort ("column:desc,…") and --columns ("a,b", or "all"); empty = not given. A
  // negative limit is none. Errors name the option.
  static Result<TableQuery> Parse(const std::string& where, const std::string& sort, const std::string& columns,
                                  int64_t limit);

  // Fails for unknown columns. Named columns are all shown, in the order of their names.
  Result<Table> Apply(Table table) const;

 private:
  struct SortKey {
    std::string column;
    bool descending = false;
  };

  Result<void> Sort(const Table& table, std::vector<uint32_t>* rows) const;
  Result<void> ChooseColumns(Table* table) const;

  std::optional<RowFilter> filter_;
  std::vector<SortKey> keys_;
  std::vector<std::string> columns_;
  bool all_columns_ = false;
  int64_t limit_ = -1;
};

}  // namespace sparkprof
