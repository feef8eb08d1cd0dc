// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/row_filter.h"
#include "analysis/table.h"
#include "base/result.h"

namespace sparkprof {

// Options of verbs that print tables: --where, --sort, --limit, --json, --csv.
struct TableOptions {
  std::string where;
  std::string sort;
  int64_t limit = -1;
  bool json = false;
  bool csv = false;

  void AddTo(CLI::App& command);
};

// Which rows of a table to print, and how.
class TableQuery {
 public:
  struct SortKey {
    std::string field;
    bool descending = false;
  };

  // Errors name the option.
  static Result<TableQuery> Parse(const TableOptions& options);

  // Prints the rows of all tables, at least one, as those of one table. `shown`: the columns in text output.
  Result<void> Print(std::vector<Table> tables, const std::vector<std::string_view>& shown) const;

 private:
  TableOptions options_;
  std::optional<RowFilter> filter_;
  std::vector<SortKey> keys_;
};

}  // namespace sparkprof
