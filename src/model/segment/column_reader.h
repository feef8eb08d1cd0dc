// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Valid range of a column. For real numbers: everything except infinity and NaN.
struct ColumnRange {
  int64_t least = std::numeric_limits<int64_t>::min();
  int64_t most = std::numeric_limits<int64_t>::max();

  template <typename Value>
  bool Contains(Value value) const {
    if constexpr (std::is_floating_point_v<Value>) {
      return std::isfinite(value);
    } else {
      return std::cmp_greater_equal(value, least) && std::cmp_less_equal(value, most);
    }
  }
};
inline constexpr ColumnRange kAnyValue;
inline constexpr ColumnRange kNotNegative{.least = 0};
inline constexpr ColumnRange k32Bits{.least = 0, .most = UINT32_MAX};

// Range of references to a table with this many rows.
inline ColumnRange RowsOf(size_t rows) {
  return {.least = 0, .most = std::min<int64_t>(static_cast<int64_t>(rows), UINT32_MAX) - 1};
}
template <typename Enum>
constexpr ColumnRange UpTo(Enum largest) {
  return {.least = 0, .most = static_cast<int64_t>(largest)};
}

// Formats "stacks row 1: frame is 7, expected 1 to 3".
inline tl::unexpected<Error> FailOutOfRange(std::string_view table, size_t row, std::string_view column,
                                            const std::string& value, const ColumnRange& range) {
  std::string expected = std::to_string(range.least);
  if (range.least > range.most) {
    expected = "none: that table is empty";
  } else if (range.least == std::numeric_limits<int64_t>::min()) {
    expected = "a finite number";
  } else if (range.most == std::numeric_limits<int64_t>::max()) {
    expected += " or more";
  } else if (range.least != range.most) {
    expected += " to " + std::to_string(range.most);
  }
  return Fail(std::string(table)
                  .append(" row " + std::to_string(row) + ": ")
                  .append(column)
                  .append(" is " + value + ", expected " + expected));
}

enum class FirstRow { kOrdinary, kReserved };  // kReserved: all values of row 0 are 0

// Reads packed columns of one message into the rows of a table, once each. Each column sets one member of every row.
// `Finish` fails if a value was out of range, a column is missing or repeated, or lengths differ. Columns added after
// the format's first version may be missing.
template <typename Row>
class ColumnReader {
 public:
  explicit ColumnReader(const char* table, FirstRow first = FirstRow::kOrdinary) : table_(table), first_(first) {}

  // `set`: a member of Row, or a function of a row and a value in range.
  template <typename Values, typename Set>
  void Read(const char* column, const Values& values, const ColumnRange& range, Set set) {
    ++required_;
    ReadOptional(column, values, range, set);
  }

  // The values are differences from the row before.
  template <typename Values>
  void ReadDeltas(const char* column, const Values& deltas, int64_t Row::*member) {
    uint64_t value = 0;
    Read(column, deltas, kAnyValue,
         [&](Row* row, int64_t delta) { row->*member = static_cast<int64_t>(value += static_cast<uint64_t>(delta)); });
  }

  template <typename Values, typename Set>
  void ReadOptional(const char* column, const Values& values, const ColumnRange& range, Set set) {
    if (!problem_) return;
    const auto is_same = [&](const ReadColumn& known) { return known.name == std::string_view(column); };
    if (std::any_of(columns_.begin(), columns_.end(), is_same)) {
      problem_ = Fail(std::string(table_) + ": repeated column " + column);
      return;
    }
    size_t row = 0;
    if (rows_.empty()) rows_.reserve(values.size());
    for (const auto value : values) {
      const ColumnRange& allowed = row == 0 && first_ == FirstRow::kReserved ? kReservedValue : range;
      if (!allowed.Contains(value)) {
        problem_ = FailOutOfRange(table_, row, column, std::to_string(value), allowed);
        return;
      }
      if (row == rows_.size()) rows_.emplace_back();
      if constexpr (std::is_member_object_pointer_v<Set>) {
        rows_[row].*set = static_cast<std::remove_reference_t<decltype(rows_[row].*set)>>(value);
      } else {
        set(&rows_[row], value);
      }
      ++row;
    }
    columns_.push_back({column, row});
  }

  // `columns`: number of required columns.
  Result<std::vector<Row>> Finish(size_t columns) {
    if (!problem_) return tl::unexpected(problem_.error());
    if (!rows_.empty() && required_ != columns) return Fail(std::string(table_) + ": missing column");
    for (const ReadColumn& column : columns_) {
      if (column.rows == rows_.size()) continue;
      return Fail(std::string(table_) + ": columns of different lengths: " + column.name + " has " +
                  std::to_string(column.rows) + " of " + std::to_string(rows_.size()) + " rows");
    }
    return std::move(rows_);
  }

 private:
  struct ReadColumn {
    const char* name;
    size_t rows;
  };
  static constexpr ColumnRange kReservedValue{.least = 0, .most = 0};

  const char* table_;
  FirstRow first_;
  std::vector<Row> rows_;
  std::vector<ReadColumn> columns_;
  size_t required_ = 0;
  Result<void> problem_;  // the first problem
};

}  // namespace sparkprof
