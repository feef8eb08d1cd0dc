// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparkprof {

// What stands in one place of a table; nothing = unknown. Texts live as long as what the table shows.
using Cell = std::variant<std::monostate, std::string_view, int64_t, double, bool>;

struct TableColumn {
  std::string name;  // as in JSON: "executorRunTime"
  std::function<Cell(size_t row)> cell;
};

// A table that is computed where it is looked at: a million rows need no memory.
struct Table {
  std::string name;  // "tasks"
  size_t rows = 0;
  std::vector<TableColumn> columns;
};

}  // namespace sparkprof
