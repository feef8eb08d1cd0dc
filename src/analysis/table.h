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

// A cell of a table; monostate = unknown. Texts live as long as the table's data.
using Cell = std::variant<std::monostate, std::string_view, int64_t, double, bool>;

struct TableColumn {
  std::string name;  // as in JSON: "executorRunTime"
  std::function<Cell(size_t row)> cell;
};

// A table computed on access, so a million rows need no memory.
struct Table {
  std::string name;  // "tasks"
  size_t rows = 0;
  std::vector<TableColumn> columns;
};

}  // namespace sparkprof
