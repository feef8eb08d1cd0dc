// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>

#include "render/writers/table_csv.h"

namespace sparkprof {

struct TableTextStyle {
  std::optional<size_t> width;  // width of the terminal; unset = lines may have any length
  bool color = false;
  // Keeps all columns in order. Otherwise omits columns without values, moves long texts to the end, and drops columns
  // that do not fit.
  bool keep_columns = false;
};

// Formats the shown columns for people: aligned, with units, within `width`. If they do not fit, first shortens texts,
// then drops the last columns and lists them below the table. Ends with the table's note.
void WriteText(const Table& table, const TableTextStyle& style, const TextSink& sink);

// A cell with its unit as in text output. `unit`: for columns with a unit per row.
std::string CellText(const Cell& cell, ColumnType type, std::string_view unit = {});

}  // namespace sparkprof
