// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "analysis/tables/table.h"
#include "base/text/json_writer.h"
#include "base/time.h"
#include "model/application.h"
#include "model/task_metrics.h"

namespace sparkprof {

// Cells of values that may be unknown.

inline Cell MillisCell(int64_t nanos) { return nanos / kNanosPerMilli; }
inline Cell TimeCell(int64_t epoch_ns) { return epoch_ns > 0 ? Cell(epoch_ns / kNanosPerMilli) : Cell(); }
inline Cell IdCell(int64_t id) { return id >= 0 ? Cell(id) : Cell(); }
inline Cell TextCell(std::string_view text) { return text.empty() ? Cell() : Cell(text); }
inline Cell OptionalCell(const std::optional<int64_t>& value) { return value ? Cell(*value) : Cell(); }
inline Cell DurationCell(int64_t begin_ns, int64_t end_ns) {
  return begin_ns > 0 && end_ns >= begin_ns ? Cell((end_ns - begin_ns) / kNanosPerMilli) : Cell();
}

// Milliseconds with one decimal.
inline Cell TenthsOfMillisCell(const std::optional<int64_t>& nanos) {
  constexpr double kTenths = 10;
  if (!nanos) return {};
  return std::round(static_cast<double>(*nanos) / static_cast<double>(kNanosPerMilli) * kTenths) / kTenths;
}

// The column's cells from texts that are made when they are read.
inline std::function<Cell(size_t)> TextCells(size_t rows, std::function<std::string(size_t row)> make) {
  return [texts = std::make_shared<std::vector<std::string>>(rows), make = std::move(make)](size_t row) {
    std::string& text = (*texts)[row];
    if (text.empty()) text = make(row);
    return TextCell(text);
  };
}

// Texts for TextCells.
template <typename Ids>
std::string IdsJson(const Ids& ids) {
  return fmt::format("[{}]", fmt::join(ids, ","));
}
template <typename Texts>
std::string TextsJson(const Texts& texts) {
  JsonWriter json;
  json.BeginArray();
  for (const auto& text : texts) json.Value(text);
  return json.EndArray().Take();
}

// The cells of columns from members of rows. `Rows` points to a vector: data that outlives the table (&rows), or rows
// that the cells share (std::shared_ptr).
template <typename Rows>
class MemberCells {
 public:
  using Row = typename std::pointer_traits<Rows>::element_type::value_type;

  explicit MemberCells(Rows rows) : rows_(std::move(rows)) {}

  size_t Size() const { return rows_->size(); }

  auto Of(auto cell) const {
    return [rows = rows_, cell](size_t row) { return Cell(cell((*rows)[row])); };
  }
  // `make` makes a cell of the member.
  auto Of(auto Row::*member, auto make) const {
    return Of([member, make](const Row& row) { return make(row.*member); });
  }
  template <typename Number>
  requires std::is_arithmetic_v<Number>
  auto Value(Number Row::*member) const {
    return Of([member](const Row& row) { return row.*member; });
  }
  auto Optional(std::optional<int64_t> Row::*member) const { return Of(member, OptionalCell); }
  auto Text(std::string Row::*member) const { return Of(member, TextCell); }
  auto Id(int64_t Row::*member) const { return Of(member, IdCell); }
  auto Time(int64_t Row::*member) const { return Of(member, TimeCell); }
  auto Millis(int64_t Row::*member) const { return Of(member, MillisCell); }
  auto Duration(int64_t Row::*begin, int64_t Row::*end) const {
    return Of([begin, end](const Row& row) { return DurationCell(row.*begin, row.*end); });
  }
  // Texts that are made when they are read.
  auto MadeText(auto make) const {
    return TextCells(rows_->size(), [rows = rows_, make](size_t row) { return make((*rows)[row]); });
  }

 private:
  Rows rows_;
};

// Cells of rows that they share.
template <typename Row>
auto CellsOf(std::vector<Row> rows) {
  return MemberCells(std::make_shared<const std::vector<Row>>(std::move(rows)));
}

// Whether the tasks have metrics. Text logs have none: they are then unknown, not zero.
bool HasTaskMetrics(const Tasks& tasks);

// Adds a column for each of Spark's task metrics, with its name in stages, or for those in groups, with its name in
// tasks. `value` is in the unit of TaskMetric.
void AddTaskMetricColumns(std::string_view SparkTaskMetricNames::*name, bool known,
                          const std::function<int64_t(TaskMetric, size_t row)>& value,
                          std::vector<TableColumn>* columns);

}  // namespace sparkprof
