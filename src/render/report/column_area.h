// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/json_writer.h"

namespace sparkprof {

static_assert(std::endian::native == std::endian::little, "columns are written as they lie in memory");

// Consecutive columns of numbers, each starting at a multiple of 8 (docs/report-data.md).
class ColumnArea {
 public:
  // Appends `values` and writes the object that refers to them.
  template <typename T>
  void Add(std::string_view key, const std::vector<T>& values, JsonWriter* json) {
    json->Key(key)
        .BeginObject()
        .Member("column", TypeName<T>())
        .Member("offset", bytes_.size())
        .Member("count", values.size())
        .EndObject();
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
  }

  const std::string& Bytes() const { return bytes_; }

 private:
  template <typename T>
  static constexpr std::string_view TypeName() {
    if constexpr (std::is_same_v<T, uint8_t>) return "u8";
    if constexpr (std::is_same_v<T, uint16_t>) return "u16";
    if constexpr (std::is_same_v<T, uint32_t>) return "u32";
    if constexpr (std::is_same_v<T, int32_t>) return "i32";
    if constexpr (std::is_same_v<T, double>) return "f64";
  }

  std::string bytes_;
};

}  // namespace sparkprof
