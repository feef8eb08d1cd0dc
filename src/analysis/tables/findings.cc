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
  return {.name = "findings",
          .rows = findings.size(),
          .columns = {
              {"id", "ID of the finding", kText, kShown, text(&Finding::id)},
              {"rule", "rule, as in findings.md", kText, kHidden, text(&Finding::rule)},
              {"severity", "high, medium or low", kText, kShown,
               [&findings](size_t row) { return Cell(SeverityName(findings[row].severity)); }},
              {"confidence", "high, medium or low: how narrow the range of the saving is", kText, kShown,
               [&findings](size_t row) { return Cell(ConfidenceName(findings[row].confidence)); }},
              {"title", "headline with its number", kLongText, kShown, text(&Finding::title)},
              {"what", "explanation, with figures", kLongText, kHidden, text(&Finding::what)},
              {"measured", "measurements", kLongText, kHidden, text(&Finding::evidence)},
              {"condition", "condition of the rule", kLongText, kHidden, text(&Finding::condition)},
              {"change", "what to change", kLongText, kHidden, text(&Finding::change)},
              {"savingMs.low", "low end of the wall-clock time that the change could save; 0 if unknown", kMillis,
               kHidden, saving(&Saving::low_ns)},
              {"savingMs.likely", "likely saving", kMillis, kShown, saving(&Saving::likely_ns)},
              {"savingMs.high", "high end", kMillis, kHidden, saving(&Saving::high_ns)},
          }};
}

}  // namespace sparkprof
