// SPDX-License-Identifier: Apache-2.0
#include "render/writers/table_csv.h"

#include <fmt/format.h>

namespace sparkprof {
namespace {

constexpr size_t kPiece = size_t{64} << 10;

void AppendQuoted(std::string_view text, std::string* csv) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    *csv += text;
    return;
  }
  *csv += '"';
  for (const char c : text) {
    if (c == '"') *csv += '"';
    *csv += c;
  }
  *csv += '"';
}

struct AppendCell {
  std::string* csv;
  void operator()(std::monostate) const {}
  void operator()(std::string_view text) const { AppendQuoted(text, csv); }
  void operator()(int64_t number) const { *csv += std::to_string(number); }
  void operator()(double number) const { *csv += fmt::format("{}", number); }
  void operator()(bool truth) const { *csv += truth ? "true" : "false"; }
};

}  // namespace

void WriteCsv(const Table& table, const TextSink& sink) {
  std::string csv;
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) csv += ',';
    AppendQuoted(table.columns[i].name, &csv);
  }
  csv += '\n';
  for (size_t row = 0; row < table.rows; ++row) {
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) csv += ',';
      std::visit(AppendCell{&csv}, table.columns[i].cell(row));
    }
    csv += '\n';
    if (csv.size() < kPiece) continue;
    sink(csv);
    csv.clear();
  }
  sink(csv);
}

}  // namespace sparkprof
