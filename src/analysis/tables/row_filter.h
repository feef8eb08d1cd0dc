// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/tables/table.h"
#include "base/result.h"

namespace sparkprof {

// The grammar of --where: comparisons COLUMN OP VALUE with = != < <= > >= and ~ (unanchored RE2), combined with and,
// or, not and parentheses. VALUE is a number, true, false, null, or a text, quoted if it contains blanks or
// parentheses. Numbers compare as numbers. An unknown value is null, which only != and "= null" match.
class RowFilter {
 public:
  // Errors name the place and what was expected.
  static Result<RowFilter> Parse(std::string_view expression);

  // Whether every name is a column of `table`; the error lists its columns.
  Result<void> CheckFields(const Table& table) const;

  bool Matches(const Table& table, size_t row) const;

  struct Node;

 private:
  explicit RowFilter(std::shared_ptr<const Node> root) : root_(std::move(root)) {}

  std::shared_ptr<const Node> root_;
};

// The column's place in the table; the error lists the columns.
Result<size_t> FindColumn(const Table& table, std::string_view name);

// Whether `a` sorts before `b`: numbers before texts, null last.
bool CellBefore(const Cell& a, const Cell& b);

}  // namespace sparkprof
