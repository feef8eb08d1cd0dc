// SPDX-License-Identifier: Apache-2.0
#include "table_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/json_writer.h"
#include "base/text.h"
#include "number_checks.h"
#include "render/table_writer.h"

namespace sparkprof {
namespace {

// A row of one of several tables with the same columns.
struct Place {
  size_t table = 0;
  size_t row = 0;
};

class Output {
 public:
  ~Output() { Flush(); }

  void Write(std::string_view text) {
    buffer_ += text;
    constexpr size_t kPiece = size_t{256} << 10;
    if (buffer_.size() >= kPiece) Flush();
  }

  bool Flush() {
    ok_ = ok_ && std::fwrite(buffer_.data(), 1, buffer_.size(), stdout) == buffer_.size() && std::fflush(stdout) == 0;
    buffer_.clear();
    return ok_;
  }

 private:
  std::string buffer_;
  bool ok_ = true;
};

// Columns that are JSON already.
bool IsJsonColumn(std::string_view column) {
  constexpr std::string_view kJson[] = {"stageIds", "runningJobIds", "successJobIds", "failedJobIds", "nodes",
                                        "edges",    "planVersions",  "stages",        "measured"};
  return std::find(std::begin(kJson), std::end(kJson), column) != std::end(kJson);
}

void WriteJson(const Table& table, size_t row, JsonWriter* json) {
  json->BeginObject();
  std::string_view object;  // that is open: the part of the names before the dot
  for (const TableColumn& column : table.columns) {
    const size_t dot = column.name.find('.');
    const std::string_view name = column.name;
    const std::string_view parent = dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
    if (parent != object && !object.empty()) json->EndObject();
    if (parent != object && !parent.empty()) json->Key(parent).BeginObject();
    object = parent;
    json->Key(parent.empty() ? name : name.substr(dot + 1));
    const Cell cell = column.cell(row);
    if (const auto* const text = std::get_if<std::string_view>(&cell); text != nullptr && IsJsonColumn(name)) {
      json->Raw(*text);
    } else {
      std::visit(
          [&](const auto& value) {
            if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
              json->Null();
            } else {
              json->Value(value);
            }
          },
          cell);
    }
  }
  if (!object.empty()) json->EndObject();
  json->EndObject();
}

std::string CellText(const Cell& cell) {
  if (const auto* const text = std::get_if<std::string_view>(&cell)) {
    constexpr size_t kMax = 60;
    return Shorten(text->substr(0, text->find('\n')), kMax - 1);
  }
  if (const auto* const integer = std::get_if<int64_t>(&cell)) return std::to_string(*integer);
  if (const auto* const real = std::get_if<double>(&cell)) return fmt::format("{}", *real);
  if (const auto* const truth = std::get_if<bool>(&cell)) return *truth ? "true" : "false";
  return "-";
}

void PrintText(const std::vector<Table>& tables, const std::vector<std::string_view>& names,
               const std::vector<Place>& places, Output* out) {
  std::vector<size_t> shown;
  for (const char* const name : {"applicationId", "attemptId"}) {
    if (const Result<size_t> column = FindColumn(tables[0], name); column && tables.size() > 1)
      shown.push_back(*column);
  }
  for (const std::string_view name : names) {
    const Result<size_t> column = FindColumn(tables[0], name);
    if (column && std::find(shown.begin(), shown.end(), *column) == shown.end()) shown.push_back(*column);
  }
  std::vector<size_t> width;
  for (const size_t column : shown) width.push_back(tables[0].columns[column].name.size());
  const auto text_of = [&](const Place& place, size_t column) {
    return CellText(tables[place.table].columns[column].cell(place.row));
  };
  for (const Place& place : places) {
    for (size_t i = 0; i < shown.size(); ++i) width[i] = std::max(width[i], text_of(place, shown[i]).size());
  }
  const auto line = [&](const auto& text) {
    std::string row;
    for (size_t i = 0; i < shown.size(); ++i) {
      row += i + 1 == shown.size() ? text(shown[i]) : fmt::format("{:<{}}  ", text(shown[i]), width[i]);
    }
    out->Write(ToOneLine(row) + "\n");
  };
  line([&](size_t column) { return tables[0].columns[column].name; });
  for (const Place& place : places) {
    line([&](size_t column) { return text_of(place, column); });
  }
}

bool PrintRows(const TableOptions& options, const std::vector<Table>& tables,
               const std::vector<std::string_view>& names, const std::vector<Place>& places) {
  Output out;
  if (options.json) {
    out.Write("[");
    const char* separator = "\n";
    for (const Place& place : places) {
      JsonWriter json;
      WriteJson(tables[place.table], place.row, &json);
      out.Write(separator);
      out.Write(json.Text());
      separator = ",\n";
    }
    out.Write(places.empty() ? "]\n" : "\n]\n");
  } else if (options.csv) {
    Table rows{.name = tables[0].name, .rows = places.size(), .columns = {}};
    for (size_t column = 0; column < tables[0].columns.size(); ++column) {
      rows.columns.push_back({tables[0].columns[column].name, [&tables, &places, column](size_t row) {
                                return tables[places[row].table].columns[column].cell(places[row].row);
                              }});
    }
    WriteCsv(rows, [&out](std::string_view text) { out.Write(text); });
  } else {
    PrintText(tables, names, places, &out);
  }
  return out.Flush();
}

Result<std::vector<TableQuery::SortKey>> ParseSort(const std::string& sort) {
  std::vector<TableQuery::SortKey> keys;
  for (const std::string_view part : Split(sort, ',')) {
    const size_t colon = part.find(':');
    const std::string_view order = colon == std::string_view::npos ? "asc" : part.substr(colon + 1);
    if (order != "asc" && order != "desc")
      return Fail(fmt::format("--sort: unknown order '{}'; use asc or desc", order));
    keys.push_back({std::string(part.substr(0, colon)), order == "desc"});
  }
  return keys;
}

Result<void> Sort(const std::vector<TableQuery::SortKey>& keys, const std::vector<Table>& tables,
                  std::vector<Place>* places) {
  // Stable sorts from the last key to the first.
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    const Result<size_t> column = FindColumn(tables[0], key->field);
    if (!column) return Fail("--sort: " + column.error().message);
    std::vector<std::pair<Cell, Place>> cells;
    for (const Place& place : *places) cells.emplace_back(tables[place.table].columns[*column].cell(place.row), place);
    std::stable_sort(cells.begin(), cells.end(), [&](const auto& a, const auto& b) {
      const bool unknown_last =
          std::holds_alternative<std::monostate>(a.first) || std::holds_alternative<std::monostate>(b.first);
      return key->descending && !unknown_last ? CellBefore(b.first, a.first) : CellBefore(a.first, b.first);
    });
    for (size_t row = 0; row < cells.size(); ++row) (*places)[row] = cells[row].second;
  }
  return {};
}

// The same columns for all tables, in the order of the first to have each.
void AlignColumns(std::vector<Table>* tables) {
  std::vector<std::string> names;
  for (const Table& table : *tables) {
    for (const TableColumn& column : table.columns) {
      if (std::find(names.begin(), names.end(), column.name) == names.end()) names.push_back(column.name);
    }
  }
  for (Table& table : *tables) {
    std::vector<TableColumn> columns;
    for (const std::string& name : names) {
      const Result<size_t> found = FindColumn(table, name);
      columns.push_back(found ? std::move(table.columns[*found]) : TableColumn{name, [](size_t) { return Cell(); }});
    }
    table.columns = std::move(columns);
  }
}

}  // namespace

void TableOptions::AddTo(CLI::App& command) {
  command.add_option("--where", where, "Select rows: status = FAILED and duration > 1000")->type_name("EXPRESSION");
  command.add_option("--sort", sort, "Sort by these fields; FIELD:desc for descending order")
      ->type_name("FIELD[:desc],…");
  command.add_option("--limit", limit, "Maximum number of rows")->check(AtLeast(0));
  command.add_flag("--json", json, "Print an array of objects with all fields");
  command.add_flag("--csv", csv, "Print CSV with all fields");
}

Result<TableQuery> TableQuery::Parse(const TableOptions& options) {
  if (options.json && options.csv) return Fail("--json and --csv are mutually exclusive");
  TableQuery query;
  query.options_ = options;
  if (!options.where.empty()) {
    Result<RowFilter> parsed = RowFilter::Parse(options.where);
    if (!parsed) return tl::unexpected(parsed.error());
    query.filter_ = std::move(*parsed);
  }
  if (!options.sort.empty()) {
    Result<std::vector<SortKey>> parsed = ParseSort(options.sort);
    if (!parsed) return tl::unexpected(parsed.error());
    query.keys_ = std::move(*parsed);
  }
  return query;
}

Result<void> TableQuery::Print(std::vector<Table> tables, const std::vector<std::string_view>& shown) const {
  AlignColumns(&tables);
  if (filter_) {
    if (const Result<void> checked = filter_->CheckFields(tables[0]); !checked) {
      return Fail("--where: " + checked.error().message);
    }
  }
  std::vector<Place> places;
  for (size_t table = 0; table < tables.size(); ++table) {
    for (size_t row = 0; row < tables[table].rows; ++row) {
      if (!filter_ || filter_->Matches(tables[table], row)) places.push_back({table, row});
    }
  }
  if (Result<void> sorted = Sort(keys_, tables, &places); !sorted) return sorted;
  if (options_.limit >= 0 && places.size() > static_cast<size_t>(options_.limit))
    places.resize(static_cast<size_t>(options_.limit));
  if (!PrintRows(options_, tables, shown, places))
    return Fail(fmt::format("standard output: cannot write: {}", std::strerror(errno)));
  return {};
}

}  // namespace sparkprof
