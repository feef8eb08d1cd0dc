// SPDX-License-Identifier: Apache-2.0
// The files that follow from the declarations of tables: docs/tables.md, and the rows of the report's page.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "analysis/tables/application_tables.h"
#include "analysis/tables/tables.h"
#include "base/testing/source_file.h"

namespace sparkprof {
namespace {

// One row of which nothing is known for each table with rows, and a member for each that has columns by name.
Application Blank() {
  Application application;
  application.jobs.emplace_back();
  application.stages.emplace_back();
  application.sql_executions.emplace_back();
  application.executors.emplace_back().peak_metrics = {{"NAME", 0}};
  application.cached_rdds.emplace_back();
  application.streaming_queries.emplace_back();
  application.streaming_batches.emplace_back().query = 0;
  application.streaming_batches.back().phases_ns = {{"PHASE", 0}};
  return application;
}

class TableFilesTest : public testing::Test {
 protected:
  Table Make(const ApplicationTable& table) { return table.make({.sources = {{&application_, {}}}}).value(); }

  const Application application_ = Blank();
};

// Formats a cell as JSON does.
std::string_view TypeText(ColumnType type) {
  switch (type) {
    case ColumnType::kText:
    case ColumnType::kLongText:
      return "text";
    case ColumnType::kJson:
      return "JSON";
    case ColumnType::kInteger:
    case ColumnType::kReal:
      return "number";
    case ColumnType::kBoolean:
      return "true or false";
    case ColumnType::kTime:
      return "ms since the epoch";
    case ColumnType::kMillis:
      return "ms";
    case ColumnType::kNanos:
      return "ns";
    case ColumnType::kSeconds:
      return "s";
    case ColumnType::kBytes:
      return "bytes";
    case ColumnType::kPercent:
      return "percent";
    case ColumnType::kShare:
      return "share of 1";
    case ColumnType::kByUnit:
      return "by `unit`";
  }
  return {};
}

std::string_view OptionOf(ColumnRole role) {
  switch (role) {
    case ColumnRole::kNone:
      return "";
    case ColumnRole::kJob:
      return "`--job`";
    case ColumnRole::kTag:
      return "`--job-tag`";
    case ColumnRole::kStage:
    case ColumnRole::kStageAttempt:
      return "`--stage`";
    case ColumnRole::kTask:
      return "`--task`";
    case ColumnRole::kSql:
      return "`--sql`";
    case ColumnRole::kNode:
      return "`--node`";
    case ColumnRole::kExecutor:
      return "`--executor`";
    case ColumnRole::kBegin:
    case ColumnRole::kEnd:
      return "`--from`, `--to`";
  }
  return {};
}

std::string SectionOf(const Table& table, std::string_view purpose) {
  std::string section = fmt::format("\n## {}\n\n{}{}.\n\n| column | value | option | meaning |\n|---|---|---|---|\n",
                                    table.name, static_cast<char>(std::toupper(purpose[0])), purpose.substr(1));
  for (const TableColumn& column : table.columns) {
    EXPECT_FALSE(column.about.empty()) << table.name << "." << column.name;
    section += fmt::format("| `{}`{} | {} | {} | {} |\n", column.name, column.IsInText() ? "" : " *",
                           TypeText(column.type), OptionOf(column.role), column.about);
  }
  return section;
}

TEST_F(TableFilesTest, TheDocumentationHasEveryColumn) {
  std::string page =
      "# Columns of tables\n\n"
      "`sparkprof show TABLE` ([analyze-logs.md](analyze-logs.md#print-tables)) prints these columns, and the files of "
      "`analyze --csv-dir` have them. Names, units and\nvalues are those of Spark's REST API where it has them, but "
      "times "
      "are ms since the Unix epoch. Unknown values are `null`. The text output has the columns\nwithout * unless you "
      "name "
      "columns; `option` selects rows by the column.\n";
  for (const ApplicationTable& table : ApplicationTables()) page += SectionOf(Make(table), table.purpose);
  page += SectionOf(FindingsTable({}), "the findings, in `findings.csv` of `analyze --csv-dir`");
  page += SectionOf(LogTemplatesTable(application_),
                    "the templates of log messages, in `log_templates.csv` of `analyze --csv-dir`");
  EXPECT_EQ(GeneratedFile("docs/tables.md", page), page) << "run this test with SPARKPROF_UPDATE=1";
}

// Texts are empty where they are unknown; what else may be unknown is optional.
std::string MemberOf(const TableColumn& column) {
  const std::string_view name = column.name;
  if (const size_t dot = name.find('.'); dot != std::string_view::npos)
    return fmt::format("{}?: Record<string, number>", name.substr(0, dot));
  std::string_view type = "number";
  if (column.IsText()) type = "string";
  if (column.type == ColumnType::kBoolean) type = "boolean";
  if (column.type == ColumnType::kJson)
    type = name.ends_with("Ids") ? "number[]" : name.ends_with("Tags") ? "string[]" : "unknown[]";
  const bool may_be_unknown = !column.IsText() && std::holds_alternative<std::monostate>(column.cell(0));
  return fmt::format("{}{}: {}", name, may_be_unknown ? "?" : "", type);
}

TEST_F(TableFilesTest, ThePageHasTheRowsOfItsTables) {
  constexpr std::pair<std::string_view, std::string_view> kRows[] = {{"jobs", "JobRow"},
                                                                     {"stages", "StageRow"},
                                                                     {"sql", "SqlRow"},
                                                                     {"executors", "ExecutorRow"},
                                                                     {"storage", "StorageRow"}};
  std::string file =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// Rows of tables as the page has them; unknown texts are empty, other unknown values absent. Columns: "
      "docs/tables.md.\n"
      "// src/analysis/tables/table_files_test.cc writes this file.\n";
  for (const auto& [name, row] : kRows) {
    file += fmt::format("\nexport interface {} {{\n", row);
    for (const TableColumn& column : Make(*FindApplicationTable(name).value()).columns)
      if (column.IsOnPage()) file += fmt::format("  {};\n", MemberOf(column));
    file += "}\n";
  }
  EXPECT_EQ(GeneratedFile("web/src/data/tables.ts", file), file) << "run this test with SPARKPROF_UPDATE=1";
}

}  // namespace
}  // namespace sparkprof
