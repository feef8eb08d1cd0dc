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
  const auto saving = [&findings](int64_t Saving::*end) {
    return [&findings, end](size_t row) { return Cell(findings[row].saving.*end / kNanosPerMilli); };
  };
  return {
      .name = "findings",
      .rows = findings.size(),
      .columns = {
          {"id", kText, kShown, text(&Finding::id)},
          {"rule", kText, kHidden, text(&Finding::rule)},
          {"severity", kText, kShown, [&findings](size_t row) { return Cell(SeverityName(findings[row].severity)); }},
          {"confidence", kText, kShown,
           [&findings](size_t row) { return Cell(ConfidenceName(findings[row].confidence)); }},
          {"title", kLongText, kShown, text(&Finding::title)},
          {"what", kLongText, kHidden, text(&Finding::what)},
          {"measured", kLongText, kHidden, text(&Finding::evidence)},
          {"condition", kLongText, kHidden, text(&Finding::condition)},
          {"change", kLongText, kHidden, text(&Finding::change)},
          {"savingMs.low", kMillis, kHidden, saving(&Saving::low_ns)},
          {"savingMs.likely", kMillis, kShown, saving(&Saving::likely_ns)},
          {"savingMs.high", kMillis, kHidden, saving(&Saving::high_ns)},
      }};
}

}  // namespace sparkprof
