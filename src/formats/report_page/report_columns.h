// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/json_value.h"

namespace sparkprof {

// A column of a table in the data of a report (docs/report-data.md). An absent or damaged column is empty.
class ReportColumn {
 public:
  ReportColumn() = default;
  ReportColumn(const simdjson::dom::object& table, std::string_view key, std::string_view area) {
    simdjson::dom::object column;
    if (!ObjectAt(table, key, &column)) return;
    type_ = TextAt(column, "column");
    width_ = type_ == "u8" ? 1 : type_ == "u16" ? 2 : type_ == "u32" || type_ == "i32" ? 4 : type_ == "f64" ? 8 : 0;
    const int64_t offset = IntegerAt(column, "offset", -1), count = IntegerAt(column, "count", -1);
    if (width_ == 0 || offset < 0 || count < 0 || static_cast<uint64_t>(offset) > area.size()) return;
    if (static_cast<uint64_t>(count) > (area.size() - static_cast<size_t>(offset)) / width_) return;
    bytes_ = area.substr(static_cast<size_t>(offset), static_cast<size_t>(count) * width_);
  }

  size_t Size() const { return width_ == 0 ? 0 : bytes_.size() / width_; }

  // A number of a column that is not f64; `fallback` behind the end of the column.
  int64_t Integer(size_t row, int64_t fallback) const {
    if (row >= Size()) return fallback;
    if (type_ == "u8") return Load<uint8_t>(row);
    if (type_ == "u16") return Load<uint16_t>(row);
    if (type_ == "u32") return Load<uint32_t>(row);
    return type_ == "i32" ? Load<int32_t>(row) : fallback;
  }
  double Real(size_t row) const {
    return row < Size() && type_ == "f64" ? Load<double>(row) : static_cast<double>(Integer(row, 0));
  }

 private:
  template <typename T>
  T Load(size_t row) const {
    T value;
    std::memcpy(&value, bytes_.data() + row * sizeof(T), sizeof(T));
    return value;
  }

  std::string_view type_;
  size_t width_ = 0;
  std::string_view bytes_;
};

}  // namespace sparkprof
