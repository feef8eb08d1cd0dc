// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparkprof {

using SqlValue = std::variant<int64_t, std::string>;

// A statement with a value for each `?`. The text consists of constants of this program only.
struct Sql {
  std::string text;
  std::vector<SqlValue> values = {};

  void Add(std::string_view more, std::initializer_list<SqlValue> more_values = {}) {
    text += more;
    values.insert(values.end(), more_values);
  }
};

}  // namespace sparkprof
