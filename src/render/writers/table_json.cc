// SPDX-License-Identifier: Apache-2.0
#include <type_traits>
#include <variant>

#include "base/text/json_writer.h"
#include "render/writers/table_writers.h"

namespace sparkprof {
namespace {

void WriteJsonCell(const TableColumn& column, const Cell& cell, JsonWriter* json) {
  const auto* const text = std::get_if<std::string_view>(&cell);
  if (text != nullptr && column.type == ColumnType::kJson) {
    json->Raw(*text);
    return;
  }
  std::visit(
      [json](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
          json->Null();
        } else {
          json->Value(value);
        }
      },
      cell);
}

// Columns "a.b" become an object, unless `flat`. The page has only its columns, see the header.
void WriteCells(const Table& table, size_t row, bool flat, bool of_page, JsonWriter* json) {
  std::string_view open;  // the object that the members before belong to
  for (const TableColumn& column : table.columns) {
    if (of_page && !column.IsOnPage()) continue;
    Cell cell = column.cell(row);
    if (of_page && std::holds_alternative<std::monostate>(cell)) {
      if (!column.IsText()) continue;
      cell = std::string_view();
    }
    const std::string_view name = column.name;
    const size_t dot = flat ? std::string_view::npos : name.find('.');
    const std::string_view parent = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
    if (parent != open && !open.empty()) json->EndObject();
    if (parent != open && !parent.empty()) json->Key(parent).BeginObject();
    open = parent;
    json->Key(parent.empty() ? name : name.substr(dot + 1));
    WriteJsonCell(column, cell, json);
  }
  if (!open.empty()) json->EndObject();
}

}  // namespace

std::string RowJson(const Table& table, size_t row, bool flat) {
  JsonWriter json;
  json.BeginObject();
  WriteCells(table, row, flat, /*of_page=*/false, &json);
  return json.EndObject().Take();
}

void WritePageCells(const Table& table, size_t row, JsonWriter* json) {
  WriteCells(table, row, /*flat=*/false, /*of_page=*/true, json);
}

void WriteJson(const Table& table, const TextSink& sink) {
  constexpr size_t kPieceBytes = size_t{64} << 10;
  std::string piece = "[";
  for (size_t row = 0; row < table.rows; ++row) {
    piece += row == 0 ? "\n" : ",\n";
    piece += RowJson(table, row, /*flat=*/false);
    if (piece.size() < kPieceBytes) continue;
    sink(piece);
    piece.clear();
  }
  piece += table.rows == 0 ? "]\n" : "\n]\n";
  sink(piece);
}

}  // namespace sparkprof
