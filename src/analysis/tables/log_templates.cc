// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table LogTemplatesTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& templates = application.logs.templates;
  return {.name = "log_templates",
          .rows = templates.size(),
          .columns = {
              {"template", kLongText, kShown,
               [&templates](size_t row) { return Cell(std::string_view(templates[row].text)); }},
              {"count", kInteger, kShown, [&templates](size_t row) { return Cell(templates[row].count); }},
              {"first", kTime, kShown, [&templates](size_t row) { return TimeCell(templates[row].first_ns); }},
              {"last", kTime, kShown, [&templates](size_t row) { return TimeCell(templates[row].last_ns); }},
          }};
}

}  // namespace sparkprof
