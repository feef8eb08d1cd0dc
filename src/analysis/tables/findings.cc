// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table FindingsTable(const std::vector<Finding>& findings) {
  using enum ColumnType;
  using enum Visibility;
  const auto text = [&findings](std::string Finding::*member) {
    return [&findings, member](size_t row) { return Cell(std::string_view(findings[row].*member)); };
  };
  return {
      .name = "findings",
      .rows = findings.size(),
      .columns = {
          {"id", kText, kShown, text(&Finding::id)},
          {"severity", kText, kShown, [&findings](size_t row) { return Cell(SeverityName(findings[row].severity)); }},
          {"confidence", kReal, kShown, [&findings](size_t row) { return Cell(findings[row].confidence); }},
          {"title", kLongText, kShown, text(&Finding::title)},
          {"what", kLongText, kHidden, text(&Finding::what)},
          {"evidence", kLongText, kHidden, text(&Finding::evidence)},
          {"rule", kLongText, kHidden, text(&Finding::condition)},
          {"change", kLongText, kHidden, text(&Finding::change)},
          {"gainMs", kMillis, kShown,
           [&findings](size_t row) { return Cell(findings[row].saving.likely_ns / kNanosPerMilli); }},
      }};
}

}  // namespace sparkprof
