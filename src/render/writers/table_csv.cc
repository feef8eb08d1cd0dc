// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "render/writers/table_writers.h"

namespace sparkprof {
namespace {

constexpr size_t kPiece = size_t{64} << 10;

// Whether a spreadsheet would execute `text` as a formula. Negative numbers are not formulas.
bool IsFormula(std::string_view text) {
  constexpr std::string_view kBeginnings = "=+-@\t\r\n";
  if (text.empty() || kBeginnings.find(text.front()) == std::string_view::npos) return false;
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  return error != std::errc() || read != end || !std::isfinite(number);
}

void AppendText(std::string_view text, CsvTexts texts, std::string* csv) {
  const std::string_view guard = texts == CsvTexts::kGuarded && IsFormula(text) ? "'" : "";
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    csv->append(guard).append(text);
    return;
  }
  csv->append("\"").append(guard);
  for (const char c : text) {
    if (c == '"') *csv += '"';
    *csv += c;
  }
  *csv += '"';
}

struct AppendCell {
  CsvTexts texts;
  std::string* csv;
  void operator()(std::monostate) const {}
  void operator()(std::string_view text) const { AppendText(text, texts, csv); }
  void operator()(int64_t number) const { *csv += std::to_string(number); }
  void operator()(double number) const { *csv += fmt::format("{}", number); }
  void operator()(bool truth) const { *csv += truth ? "true" : "false"; }
};

}  // namespace

void WriteCsv(const Table& table, const TextSink& sink, CsvTexts texts) {
  std::string csv;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) csv += ',';
    AppendText(table.columns[i].name, texts, &csv);
  }
  csv += '\n';
  for (size_t row = 0; row < table.rows; ++row) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) csv += ',';
      std::visit(AppendCell{texts, &csv}, table.columns[i].cell(row));
    }
    csv += '\n';
    if (csv.size() < kPiece) continue;
    sink(csv);
    csv.clear();
  }
  sink(csv);
}

}  // namespace sparkprof
