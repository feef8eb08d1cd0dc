// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table LogTemplatesTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  const auto& templates = application.logs.templates;
  const MemberCells of(&templates);
  return {.name = "log_templates",
          .rows = templates.size(),
          .columns = {
              {"template", "text of the messages, with <*> for what differs", kLongText, kShown,
               of.Of([](const LogTemplate& one) { return std::string_view(one.text); })},
              {"count", "messages of the template", kInteger, kShown, of.Value(&LogTemplate::count)},
              {"first", "time of the first message", kTime, kShown, of.Time(&LogTemplate::first_ns)},
              {"last", "time of the last message", kTime, kShown, of.Time(&LogTemplate::last_ns)},
          }};
}

}  // namespace sparkprof
