// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "analysis/tables/table.h"
#include "base/text/json_writer.h"

namespace sparkprof {

enum class CsvTexts : uint8_t {
  kGuarded,  // prefixes texts that a spreadsheet would execute as a formula with '
  kRaw,      // unchanged, for programs
};

// The first line contains the column names; quoting as in RFC 4180. `sink` receives the text piece by piece.
using TextSink = std::function<void(std::string_view)>;
void WriteCsv(const Table& table, const TextSink& sink, CsvTexts texts = CsvTexts::kGuarded);

// Writes an array with one object per row, each on its own line; unknown values are null. Columns "a.b" and "a.c"
// become an object a.
void WriteJson(const Table& table, const TextSink& sink);

// The object of a row. `flat`: "a.b" stays a member name.
std::string RowJson(const Table& table, size_t row, bool flat);

// Members of the open object: the columns of the report's page (TableColumn::IsOnPage). Unknown texts are empty, other
// unknown values have no member.
void WritePageCells(const Table& table, size_t row, JsonWriter* json);

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
