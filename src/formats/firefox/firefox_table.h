// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/json_value.h"

namespace sparkprof {

// A table of a Firefox profile: an object with an array for each column, or, in gecko profiles, a schema with the
// position of each column and rows as arrays.
class FirefoxTable {
 public:
  FirefoxTable() = default;
  explicit FirefoxTable(const simdjson::dom::object& table) : table_(table) {
    has_rows_ = ObjectAt(table, "schema", &schema_) && ArrayAt(table, "data", &rows_);
  }

  // The values of a column; empty without it. `read(element)` makes a value.
  template <typename Read>
  auto Column(std::string_view name, Read&& read) const {
    std::vector<decltype(read(simdjson::dom::element()))> values;
    simdjson::dom::array column;
    if (!table_) return values;
    if (!has_rows_) {
      if (!ArrayAt(*table_, name, &column)) return values;
      for (const simdjson::dom::element value : column) values.push_back(read(value));
      return values;
    }
    const int64_t position = IntegerAt(schema_, name, -1);
    if (position < 0) return values;
    for (const simdjson::dom::element row : rows_) {
      // Rows may end before their last columns.
      simdjson::dom::element value;
      simdjson::dom::array cells;
      const bool has_value = row.get(cells) == simdjson::SUCCESS &&
                             cells.at(static_cast<size_t>(position)).get(value) == simdjson::SUCCESS;
      values.push_back(has_value ? read(value) : read(row));
    }
    return values;
  }

  // Rows of other tables; -1 for null.
  std::vector<int64_t> Rows(std::string_view name) const {
    return Column(name, [](const simdjson::dom::element& value) { return IntegerOf(value, -1); });
  }
  std::vector<double> Reals(std::string_view name, double fallback) const {
    return Column(name, [&](const simdjson::dom::element& value) {
      double real = 0;
      return value.get(real) == simdjson::SUCCESS ? real : fallback;
    });
  }

 private:
  std::optional<simdjson::dom::object> table_;  // none: no column
  simdjson::dom::object schema_;
  simdjson::dom::array rows_;
  bool has_rows_ = false;
};

}  // namespace sparkprof
