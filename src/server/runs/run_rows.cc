// SPDX-License-Identifier: Apache-2.0
#include "server/runs/run_rows.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "base/answer_limit.h"
#include "base/redaction/redaction.h"
#include "base/text/json_parser.h"
#include "base/text/json_writer.h"
#include "base/text/text.h"
#include "base/time.h"
#include "render/writers/table_writers.h"
#include "text_log/log_time.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxBodyRows = 100'000;
constexpr std::ptrdiff_t kMaxTextSize = 4'096;  // characters

constexpr auto kRunColumns = std::to_array<RunColumn>({
    {"startTime", "start_time", RunCell::kTime},
    {"endTime", "end_time", RunCell::kTime},
    {"suiteName", "suite_name", RunCell::kText},
    {"version", "", RunCell::kText},
    {"user", "", RunCell::kText},
    {"overallStatus", "overall_status", RunCell::kText},
});

constexpr auto kLogColumns = std::to_array<RunColumn>({
    {"msgTime", "msg_time", RunCell::kTime},
    {"msgType", "msg_type", RunCell::kText},
    {"message", "", RunCell::kText},
});

constexpr auto kProcessColumns = std::to_array<RunColumn>({
    {"timeStamp", "time_stamp", RunCell::kTime},
    {"monitor", "", RunCell::kText},
    {"pid", "", RunCell::kNumber},
    {"ppid", "", RunCell::kNumber},
    {"type", "", RunCell::kText},
    {"application", "", RunCell::kText},
    {"executor", "", RunCell::kText},
    {"cpuPercent", "pcpu", RunCell::kNumber},
    {"memoryPercent", "pmem", RunCell::kNumber},
    {"cpuSeconds", "cpu_time", RunCell::kSeconds},
    {"elapsedSeconds", "elapsed_time", RunCell::kSeconds},
    {"rssBytes", "resident_size", RunCell::kNumber},
    {"virtualBytes", "mapped", RunCell::kNumber},
    {"privateBytes", "private", RunCell::kNumber},
    {"sharedBytes", "shared", RunCell::kNumber},
    {"readBytes", "", RunCell::kNumber},
    {"writeBytes", "", RunCell::kNumber},
    {"threads", "", RunCell::kNumber},
    {"shortCommand", "short_command", RunCell::kText},
    {"command", "long_command", RunCell::kText},
});

std::optional<double> ParseNumber(std::string_view text) {
  const std::string copy(Trim(text));
  char* end = nullptr;
  const double number = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end != '\0' || !std::isfinite(number)) return std::nullopt;
  return number;
}

std::optional<double> ParseMillis(std::string_view text) {
  if (const auto number = ParseNumber(text)) return number;
  LogTimeParser parser;
  const LogTime time = parser.Parse(text);
  if (time.size == 0 || time.size != text.size()) return std::nullopt;
  const int64_t millis = time.time_ns / kNanosPerMilli;
  return static_cast<double>(millis);
}

// Parses [[DD-]hh:]mm:ss or a number of seconds.
std::optional<double> ParseSeconds(std::string_view text) {
  if (text.find(':') == std::string_view::npos) return ParseNumber(text);
  double days = 0, seconds = 0;
  if (const size_t dash = text.find('-'); dash != std::string_view::npos) {
    const auto parsed = ParseNumber(text.substr(0, dash));
    if (!parsed) return std::nullopt;
    days = *parsed;
    text.remove_prefix(dash + 1);
  }
  const std::vector<std::string_view> parts = Split(text, ':');
  if (parts.size() > 3) return std::nullopt;
  for (const std::string_view part : parts) {
    const auto parsed = ParseNumber(part);
    if (!parsed) return std::nullopt;
    seconds = seconds * 60 + *parsed;
  }
  return days * 86'400 + seconds;
}

std::optional<double> NumberOf(const simdjson::dom::element& value, RunCell cell) {
  double number = 0;
  std::optional<double> parsed;
  if (value.get_double().get(number) == simdjson::SUCCESS) {
    parsed = number;
  } else if (const std::string_view text = TextOf(value); cell == RunCell::kTime) {
    parsed = ParseMillis(text);
  } else {
    parsed = cell == RunCell::kSeconds ? ParseSeconds(text) : ParseNumber(text);
  }
  const bool is_good =
      parsed && *parsed >= 0 && (cell != RunCell::kTime || *parsed <= static_cast<double>(kLatestMillis));
  return is_good ? parsed : std::nullopt;
}

const RunColumn* FindColumn(std::span<const RunColumn> columns, std::string_view name) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const RunColumn& column) {
    return column.name == name || (!column.original.empty() && column.original == name);
  });
  return found == columns.end() ? nullptr : &*found;
}

std::ptrdiff_t CountCharacters(std::string_view utf8) {
  return std::count_if(utf8.begin(), utf8.end(), [](char c) { return (c & 0xc0) != 0x80; });
}

const char* Expected(RunCell cell) {
  switch (cell) {
    case RunCell::kTime:
      return "ms since the Unix epoch or a time such as 2026-11-22T10:00:00Z";
    case RunCell::kSeconds:
      return "seconds or hh:mm:ss";
    case RunCell::kNumber:
      return "a number, at least 0";
    case RunCell::kText:
      break;
  }
  return "a text of at most 4096 characters";
}

Result<void> WriteCell(const RunColumn& column, const simdjson::dom::element& value, JsonWriter* row) {
  const Error wrong{fmt::format("{}: expected {}", column.name, Expected(column.cell))};
  if (column.cell == RunCell::kText) {
    if (!value.is_string() || CountCharacters(TextOf(value)) > kMaxTextSize) return tl::unexpected(wrong);
    row->Member(column.name, RedactText(TextOf(value)));
    return {};
  }
  const std::optional<double> number = NumberOf(value, column.cell);
  if (!number) return tl::unexpected(wrong);
  const bool is_whole = *number == std::floor(*number) && *number < 9e15;
  is_whole ? row->Member(column.name, static_cast<int64_t>(*number)) : row->Member(column.name, *number);
  return {};
}

Result<std::string> ParseRow(std::span<const RunColumn> columns, const simdjson::dom::element& element) {
  simdjson::dom::object object;
  if (element.get_object().get(object) != simdjson::SUCCESS) return Fail("expected a JSON object or an array of them");
  JsonWriter row;
  row.BeginObject();
  for (const auto& [name, value] : object) {
    if (name == "id" || name == "run_id" || name == "results") continue;
    const RunColumn* const column = FindColumn(columns, name);
    if (column == nullptr) return Fail(fmt::format("unknown column '{}'", ToOneLine(name)));
    if (value.is_null()) continue;
    if (Result<void> written = WriteCell(*column, value, &row); !written) return tl::unexpected(written.error());
  }
  return row.EndObject().Take();
}

Cell CellOf(const simdjson::dom::element& value) {
  if (value.is_string()) return TextOf(value);
  if (value.is_int64()) return IntegerOf(value, 0);
  double number = 0;
  return value.get_double().get(number) == simdjson::SUCCESS ? Cell(number) : Cell();
}

}  // namespace

std::span<const RunColumn> RunColumns() { return kRunColumns; }
std::span<const RunColumn> LogColumns() { return kLogColumns; }
std::span<const RunColumn> ProcessColumns() { return kProcessColumns; }

Result<std::vector<std::string>> ParseRunRows(std::span<const RunColumn> columns, const std::string& body) {
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  if (parser.parse(body).get(document) != simdjson::SUCCESS) return Fail("the body is not JSON");
  std::vector<simdjson::dom::element> elements;
  if (simdjson::dom::array array; document.get_array().get(array) == simdjson::SUCCESS) {
    for (const simdjson::dom::element element : array) elements.push_back(element);
  } else {
    elements.push_back(document);
  }
  if (elements.size() > kMaxBodyRows) return Fail(fmt::format("more than {} rows; send fewer at once", kMaxBodyRows));
  std::vector<std::string> lines;
  for (const simdjson::dom::element& element : elements) {
    Result<std::string> line = ParseRow(columns, element);
    if (!line) return Fail(fmt::format("row {}: {}", lines.size() + 1, line.error().message));
    lines.push_back(std::move(*line));
  }
  return lines;
}

std::string RunRowsCsv(std::span<const RunColumn> columns, const std::vector<std::string>& lines) {
  // Parses one line at a time: texts are valid only while the document exists.
  simdjson::dom::parser parser;
  simdjson::dom::element document;
  size_t parsed_row = SIZE_MAX;
  Table table;
  table.rows = lines.size();
  for (const RunColumn& column : columns) {
    table.columns.push_back({std::string(column.name), "", ColumnType::kText, Visibility::kShown,
                             [&, name = column.name](size_t row) -> Cell {
                               if (row != parsed_row && parser.parse(lines[row]).get(document) != simdjson::SUCCESS)
                                 return {};
                               parsed_row = row;
                               simdjson::dom::element value;
                               return document[name].get(value) == simdjson::SUCCESS ? CellOf(value) : Cell();
                             }});
  }
  std::string csv;
  WriteCsv(table, [&](std::string_view piece) {
    CheckAnswerSize(csv.size() + piece.size());
    csv += piece;
  });
  return csv;
}

}  // namespace sparkprof
