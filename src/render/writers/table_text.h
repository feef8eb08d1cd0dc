// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "render/writers/table_csv.h"

namespace sparkprof {

struct TableTextStyle {
  std::optional<size_t> width;  // of the terminal; otherwise lines have any length
  bool color = false;
  // Otherwise columns without a value are left out, long texts come last, and columns that do not fit are dropped.
  bool keep_columns = false;
};

// The shown columns for people: aligned, with units, on `width`. If they do not fit, texts are shortened first; then
// the last columns are dropped, and a line below the table names them. Ends with the table's note.
void WriteText(const Table& table, const TableTextStyle& style, const TextSink& sink);

// A cell with its unit, as text output shows it. `unit`: of columns whose rows have units of their own.
std::string CellText(const Cell& cell, ColumnType type, std::string_view unit = {});

}  // namespace sparkprof
