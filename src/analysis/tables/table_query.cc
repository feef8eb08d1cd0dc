// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/table_query.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>

#include "base/text/contains.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Whether a cell is this ID, or the JSON array of integers in it has it.
bool HasId(const Cell& cell, int64_t id) {
  if (const auto* const integer = std::get_if<int64_t>(&cell)) return *integer == id;
  const auto* const list = std::get_if<std::string_view>(&cell);
  if (list == nullptr || list->size() < 2) return false;
  const std::vector<std::string_view> parts = Split(list->substr(1, list->size() - 2), ',');
  return std::ranges::any_of(parts, [id](std::string_view part) { return ParseInteger(part) == id; });
}

const TableColumn* ColumnOf(const Table& table, ColumnRole role) {
  const auto found =
      std::ranges::find_if(table.columns, [role](const TableColumn& column) { return column.role == role; });
  return found == table.columns.end() ? nullptr : &*found;
}

struct RoleOption {
  ColumnRole role;
  std::string_view option;
  bool (*is_set)(const Selection& selection);
};
constexpr RoleOption kRoleOptions[] = {
    {ColumnRole::kJob, "--job", [](const Selection& selection) { return selection.job.has_value(); }},
    {ColumnRole::kTag, "--job-tag", [](const Selection& selection) { return !selection.tag.empty(); }},
    {ColumnRole::kStage, "--stage", [](const Selection& selection) { return selection.stage.has_value(); }},
    {ColumnRole::kTask, "--task", [](const Selection& selection) { return !selection.tasks.empty(); }},
    {ColumnRole::kSql, "--sql", [](const Selection& selection) { return selection.sql.has_value(); }},
    {ColumnRole::kNode, "--node", [](const Selection& selection) { return selection.node.has_value(); }},
    {ColumnRole::kExecutor, "--executor", [](const Selection& selection) { return selection.executor.has_value(); }},
    {ColumnRole::kBegin, "--from", [](const Selection& selection) { return selection.from_ns.has_value(); }},
    {ColumnRole::kBegin, "--to", [](const Selection& selection) { return selection.to_ns.has_value(); }},
};

// Whether one row overlaps the selected times.
class TimeFilter {
 public:
  TimeFilter(const Table& table, const Selection& selection, int64_t start_ns)
      : begin_(ColumnOf(table, ColumnRole::kBegin)), end_(ColumnOf(table, ColumnRole::kEnd)) {
    if (selection.from_ns) from_ms_ = (start_ns + *selection.from_ns) / kNanosPerMilli;
    if (selection.to_ns) to_ms_ = (start_ns + *selection.to_ns) / kNanosPerMilli;
    is_set_ = selection.from_ns || selection.to_ns;
  }

  bool Matches(size_t row) const {
    if (!is_set_) return true;
    const Cell begin = begin_->cell(row);
    const auto* const begin_ms = std::get_if<int64_t>(&begin);
    if (begin_ms == nullptr) return false;
    if (end_ == nullptr) return *begin_ms >= from_ms_ && *begin_ms < to_ms_;
    const Cell end = end_->cell(row);
    const auto* const end_ms = std::get_if<int64_t>(&end);
    return *begin_ms < to_ms_ && (end_ms == nullptr || *end_ms >= from_ms_);
  }

 private:
  const TableColumn* begin_;
  const TableColumn* end_;
  int64_t from_ms_ = std::numeric_limits<int64_t>::min();
  int64_t to_ms_ = std::numeric_limits<int64_t>::max();
  bool is_set_ = false;
};

bool MatchesIds(const Table& table, const Selection& selection, size_t row) {
  const auto has = [&](ColumnRole role, const std::optional<int64_t>& id) {
    return !id || HasId(ColumnOf(table, role)->cell(row), *id);
  };
  const TableColumn* const attempt = ColumnOf(table, ColumnRole::kStageAttempt);
  if (selection.stage_attempt && attempt != nullptr && !HasId(attempt->cell(row), *selection.stage_attempt))
    return false;
  if (!has(ColumnRole::kJob, selection.job) || !has(ColumnRole::kStage, selection.stage)) return false;
  if (!selection.tag.empty()) {
    const Cell tags = ColumnOf(table, ColumnRole::kTag)->cell(row);
    const auto* const list = std::get_if<std::string_view>(&tags);
    if (list == nullptr || list->find(JsonWriter().Value(selection.tag).Text()) == std::string_view::npos) return false;
  }
  if (!has(ColumnRole::kSql, selection.sql) || !has(ColumnRole::kNode, selection.node)) return false;
  if (selection.executor) {
    const Cell executor = ColumnOf(table, ColumnRole::kExecutor)->cell(row);
    const auto* const text = std::get_if<std::string_view>(&executor);
    if (text == nullptr || *text != *selection.executor) return false;
  }
  if (selection.tasks.empty()) return true;
  const Cell task = ColumnOf(table, ColumnRole::kTask)->cell(row);
  return std::ranges::any_of(selection.tasks, [&](int64_t id) { return HasId(task, id); });
}

}  // namespace

Table JoinTables(std::vector<Table> tables) {
  if (tables.size() == 1) return std::move(tables[0]);
  struct Part {
    size_t first_row = 0;
    std::vector<TableColumn> columns;  // one for each of the joined table; without a cell if the part lacks it
  };
  Table joined{.name = tables[0].name, .rows = 0, .columns = {}};
  for (const Table& table : tables) {
    for (const TableColumn& column : table.columns) {
      if (!FindColumn(joined, column.name)) joined.columns.push_back(column);
    }
  }
  const auto parts = std::make_shared<std::vector<Part>>();
  for (Table& table : tables) {
    Part& part = parts->emplace_back();
    part.first_row = joined.rows;
    for (const TableColumn& column : joined.columns) {
      const Result<size_t> own = FindColumn(table, column.name);
      part.columns.push_back(own ? table.columns[*own] : TableColumn());
    }
    joined.rows += table.rows;
    joined.note += table.note;
  }
  for (size_t i = 0; i < joined.columns.size(); ++i) {
    joined.columns[i].cell = [parts, i](size_t row) {
      auto part = std::upper_bound(parts->begin(), parts->end(), row,
                                   [](size_t at, const Part& other) { return at < other.first_row; });
      --part;
      const TableColumn& column = part->columns[i];
      return column.cell == nullptr ? Cell() : column.cell(row - part->first_row);
    };
  }
  return joined;
}

Table KeepRows(Table table, std::vector<uint32_t> rows) {
  const auto kept = std::make_shared<const std::vector<uint32_t>>(std::move(rows));
  table.rows = kept->size();
  for (TableColumn& column : table.columns) {
    column.cell = [kept, cell = std::move(column.cell)](size_t row) { return cell((*kept)[row]); };
  }
  return table;
}

Result<void> CheckSelection(std::string_view table, const Selection& selection, const std::vector<ColumnRole>& roles) {
  const auto has = [&](ColumnRole role) { return Contains(roles, role); };
  std::vector<std::string_view> options;
  for (const RoleOption& one : kRoleOptions) {
    if (has(one.role)) options.push_back(one.option);
  }
  for (const RoleOption& one : kRoleOptions) {
    if (!one.is_set(selection) || has(one.role)) continue;
    const std::string advice =
        options.empty() ? "use --where" : fmt::format("use --where or {}", fmt::join(options, ", "));
    return Fail(fmt::format("{}: the table {} cannot be selected by it; {}", one.option, table, advice));
  }
  return {};
}

Result<Table> SelectRows(Table table, const Selection& selection, int64_t start_ns) {
  std::vector<ColumnRole> roles;
  for (const TableColumn& column : table.columns) roles.push_back(column.role);
  if (const Result<void> checked = CheckSelection(table.name, selection, roles); !checked)
    return tl::unexpected(checked.error());
  const bool selects =
      std::ranges::any_of(kRoleOptions, [&](const RoleOption& option) { return option.is_set(selection); });
  if (!selects) return table;
  const TimeFilter times(table, selection, start_ns);
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < table.rows; ++row) {
    if (MatchesIds(table, selection, row) && times.Matches(row)) rows.push_back(row);
  }
  return KeepRows(std::move(table), std::move(rows));
}

Result<TableQuery> TableQuery::Parse(const std::string& where, const std::string& sort, const std::string& columns,
                                     int64_t limit) {
  TableQuery query;
  query.limit_ = limit;
  if (!where.empty()) {
    Result<RowFilter> parsed = RowFilter::Parse(where);
    if (!parsed) return tl::unexpected(parsed.error());
    query.filter_ = std::move(*parsed);
  }
  if (!sort.empty()) {
    for (const std::string_view part : Split(sort, ',')) {
      const size_t colon = part.find(':');
      const std::string_view order = colon == std::string_view::npos ? "asc" : part.substr(colon + 1);
      if (order != "asc" && order != "desc")
        return Fail(fmt::format("--sort: unknown order '{}'; use asc or desc", order));
      query.keys_.push_back({std::string(Trim(part.substr(0, colon))), order == "desc"});
    }
  }
  query.all_columns_ = columns == "all";
  if (!columns.empty() && !query.all_columns_) {
    for (const std::string_view part : Split(columns, ',')) query.columns_.emplace_back(Trim(part));
  }
  return query;
}

Result<void> TableQuery::Sort(const Table& table, std::vector<uint32_t>* rows) const {
  // Stable sorts from the last key to the first.
  for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
    const Result<size_t> column = FindColumn(table, key->column);
    if (!column) return Fail("--sort: " + column.error().message);
    std::vector<std::pair<Cell, uint32_t>> cells;
    cells.reserve(rows->size());
    for (const uint32_t row : *rows) cells.emplace_back(table.columns[*column].cell(row), row);
    std::ranges::stable_sort(cells, [&](const auto& a, const auto& b) {
      const bool unknown_last =
          std::holds_alternative<std::monostate>(a.first) || std::holds_alternative<std::monostate>(b.first);
      return key->descending && !unknown_last ? CellBefore(b.first, a.first) : CellBefore(a.first, b.first);
    });
    for (size_t i = 0; i < cells.size(); ++i) (*rows)[i] = cells[i].second;
  }
  return {};
}

Result<void> TableQuery::ChooseColumns(Table* table) const {
  if (all_columns_) {
    for (TableColumn& column : table->columns) column.visibility = Visibility::kShown;
  }
  if (columns_.empty()) return {};
  std::vector<TableColumn> chosen;
  for (const std::string& name : columns_) {
    const Result<size_t> column = FindColumn(*table, name);
    if (!column) return Fail("--columns: " + column.error().message);
    chosen.push_back(table->columns[*column]);
    chosen.back().visibility = Visibility::kShown;
  }
  // Text output needs the unit of such columns.
  const bool has_unit = Contains(columns_, "unit");
  const bool needs_unit =
      std::ranges::any_of(chosen, [](const TableColumn& column) { return column.type == ColumnType::kByUnit; });
  if (needs_unit && !has_unit) {
    for (TableColumn& column : chosen) {
      if (column.type == ColumnType::kByUnit) column.type = ColumnType::kReal;
    }
  }
  table->columns = std::move(chosen);
  return {};
}

Result<Table> TableQuery::Apply(Table table) const {
  if (filter_) {
    if (const Result<void> checked = filter_->CheckFields(table); !checked)
      return Fail("--where: " + checked.error().message);
  }
  std::vector<uint32_t> rows;
  rows.reserve(table.rows);
  for (uint32_t row = 0; row < table.rows; ++row) {
    if (!filter_ || filter_->Matches(table, row)) rows.push_back(row);
  }
  if (const Result<void> sorted = Sort(table, &rows); !sorted) return tl::unexpected(sorted.error());
  const size_t matching = rows.size();
  if (limit_ >= 0 && rows.size() > static_cast<size_t>(limit_)) rows.resize(static_cast<size_t>(limit_));
  if (rows.size() < matching) table.note = fmt::format("{} of {} rows.\n", rows.size(), matching) + table.note;
  if (const Result<void> chosen = ChooseColumns(&table); !chosen) return tl::unexpected(chosen.error());
  return rows.size() == table.rows && keys_.empty() ? std::move(table) : KeepRows(std::move(table), std::move(rows));
}

}  // namespace sparkprof
