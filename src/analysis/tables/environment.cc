// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/cells.h"
#include "analysis/tables/tables.h"

namespace sparkprof {

Table EnvironmentTable(const Application& application) {
  using enum ColumnType;
  using enum Visibility;
  struct Row {
    std::string_view group, name, value;
  };
  const auto rows = std::make_shared<std::vector<Row>>();
  for (const auto& [group, settings] : application.environment) {
    for (const auto& [name, value] : settings) rows->push_back({group, name, value});
  }
  for (const ResourceProfile& profile : application.resource_profiles) {
    for (const auto& [name, amount] : profile.requests) rows->push_back({profile.name, name, amount});
  }
  for (const ProfilerSetting& setting : application.settings)
    rows->push_back({"sparkprof", setting.name, setting.value});
  return {.name = "environment",
          .rows = rows->size(),
          .columns = {
              {"group", "Spark, JVM, Hadoop, System, Metrics, Classpath, a resource profile, or sparkprof", kText,
               kShown, [rows](size_t row) { return Cell((*rows)[row].group); }},
              {"name", "name of the setting", kText, kShown, [rows](size_t row) { return Cell((*rows)[row].name); }},
              {"value", "value, with secrets redacted", kLongText, kShown,
               [rows](size_t row) { return Cell((*rows)[row].value); }},
          }};
}

}  // namespace sparkprof
