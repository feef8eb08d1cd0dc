// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Reads packed columns of one message into the rows of a table. Each column sets one member of every row; `Finish`
// checks that all columns have the same length. Columns that came later than the format's first version may be missing.
template <typename Row>
class ColumnReader {
 public:
  explicit ColumnReader(const char* table) : table_(table) {}

  template <typename Range, typename Set>
  void Read(const Range& range, Set set) {
    ++required_;
    ReadOptional(range, set);
  }

  template <typename Range, typename Set>
  void ReadOptional(const Range& range, Set set) {
    size_t row = 0;
    if (rows_.empty()) rows_.reserve(range.size());
    for (const auto value : range) {
      if (row == rows_.size()) rows_.emplace_back();
      if (!set(&rows_[row], value) && bad_row_.empty()) bad_row_ = std::to_string(row);
      ++row;
    }
    lengths_.push_back(row);
  }

  // `columns`: how many must be there.
  Result<std::vector<Row>> Finish(size_t columns) {
    if (!bad_row_.empty()) return Fail(std::string(table_) + " row " + bad_row_ + ": value out of range");
    if (!rows_.empty() && required_ != columns) return Fail(std::string(table_) + ": missing column");
    for (const size_t length : lengths_) {
      if (length != rows_.size()) return Fail(std::string(table_) + ": columns of different lengths");
    }
    return std::move(rows_);
  }

 private:
  const char* table_;
  std::vector<Row> rows_;
  std::vector<size_t> lengths_;
  size_t required_ = 0;
  std::string bad_row_;
};

// Puts `value` into *out; false when it does not fit.
template <typename T>
bool Narrow(uint64_t value, T* out) {
  if (value > std::numeric_limits<T>::max()) return false;
  *out = static_cast<T>(value);
  return true;
}

template <typename E>
bool NarrowEnum(uint64_t value, E largest, E* out) {
  if (value > static_cast<uint64_t>(largest)) return false;
  *out = static_cast<E>(value);
  return true;
}

}  // namespace sparkprof
