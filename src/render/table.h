// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/json_writer.h"

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

// The first line has the column names; quoting as in RFC 4180. `sink` receives the text in pieces.
using TextSink = std::function<void(std::string_view)>;
void WriteCsv(const Table& table, const TextSink& sink);

// One row as a member of an array: an object with the columns' names; unknown is null.
void WriteJsonRow(const Table& table, size_t row, JsonWriter* json);

}  // namespace sparkprof
