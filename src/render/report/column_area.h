// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text/json_writer.h"

namespace sparkprof {

static_assert(std::endian::native == std::endian::little, "columns are written as they lie in memory");

// Consecutive columns of numbers, each starting at a multiple of 8 (docs/report-data.md).
class ColumnArea {
 public:
  // Sets memory aside for about `bytes` of columns.
  void Reserve(size_t bytes) { bytes_.reserve(bytes); }

  // Appends `values` and writes the object that refers to them.
  template <typename T>
  void Add(std::string_view key, const std::vector<T>& values, JsonWriter* json) {
    WriteReference<T>(key, values.size(), json);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    Pad();
  }

  // The same for value_of(row) of each of the rows.
  template <typename Row, typename ValueOf>
  void Add(std::string_view key, const std::vector<Row>& rows, const ValueOf& value_of, JsonWriter* json) {
    using T = std::invoke_result_t<ValueOf, const Row&>;
    WriteReference<T>(key, rows.size(), json);
    size_t end = bytes_.size();
    bytes_.resize(end + rows.size() * sizeof(T));
    for (const Row& row : rows) {
      const T value = value_of(row);
      std::memcpy(bytes_.data() + end, &value, sizeof(T));
      end += sizeof(T);
    }
    Pad();
  }

  std::string Take() { return std::move(bytes_); }

 private:
  template <typename T>
  static constexpr std::string_view TypeName() {
    if constexpr (std::is_same_v<T, uint8_t>) return "u8";
    if constexpr (std::is_same_v<T, uint16_t>) return "u16";
    if constexpr (std::is_same_v<T, uint32_t>) return "u32";
    if constexpr (std::is_same_v<T, int32_t>) return "i32";
    if constexpr (std::is_same_v<T, double>) return "f64";
  }

  template <typename T>
  void WriteReference(std::string_view key, size_t count, JsonWriter* json) {
    json->Key(key)
        .BeginObject()
        .Member("column", TypeName<T>())
        .Member("offset", bytes_.size())
        .Member("count", count)
        .EndObject();
  }

  void Pad() { bytes_.resize((bytes_.size() + 7) / 8 * 8); }

  std::string bytes_;
};

}  // namespace sparkprof
