// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "analysis/testing/application_builder.h"
#include "base/testing/source_file.h"
#include "base/text/text.h"
#include "fleet/fleet_schema.h"

namespace sparkprof {
namespace {

class FleetRowsTest : public testing::Test {
 protected:
  FleetRowsTest() {
    builder_.AddExecutor("1", 2);
    const int32_t stage = builder_.AddStage(3, 0, 7);
    builder_.AddTask(10, stage, 0, 0, 60);
    builder_.AddTask(11, stage, 0, 0, 40);
    builder_.AddJob(7, {3});
    builder_.application().environment = {{"Spark", {{"spark.executor.memory", "3g"}, {"spark.yarn.queue", "etl"}}}};
  }

  simdjson::dom::element Row(std::string_view table, const std::optional<PriceList>& prices = {}) {
    std::string lines;
    AppendFleetRows(builder_.application(), Answer(builder_.application()), prices, "/logs/app-1", &lines);
    std::string_view rest = lines;
    while (!rest.empty()) {
      const std::string_view line = TakeLine(&rest);
      if (!line.starts_with(std::string(table) + "\t")) continue;
      return parser_.parse(std::string(line.substr(table.size() + 1)));
    }
    ADD_FAILURE() << "no row of " << table;
    return {};
  }

  ApplicationBuilder builder_;
  simdjson::dom::parser parser_;
};

TEST_F(FleetRowsTest, AnApplicationHasItsCostAndWaste) {
  const PriceList prices{"USD", 1, 0};
  const simdjson::dom::element row = Row("applications", prices);
  EXPECT_EQ(std::string_view(row["id"]), "app-1");
  EXPECT_EQ(std::string_view(row["queue"]), "etl");
  EXPECT_EQ(std::string_view(row["date"]), "2023-11-14");
  EXPECT_EQ(int64_t(row["durationMs"]), 100'000);
  EXPECT_NEAR(double(row["coreHours"]), 200.0 / 3600, 1e-9);
  EXPECT_NEAR(double(row["wastedCoreHours"]), 100.0 / 3600, 1e-9);
  EXPECT_NEAR(double(row["cost"]), 200.0 / 3600, 1e-9);
}

TEST_F(FleetRowsTest, FailedTasksAreWasted) {
  builder_.application().tasks.outcome[0] = TaskOutcome::kFailed;
  EXPECT_NEAR(double(Row("applications")["wastedCoreHours"]), 160.0 / 3600, 1e-9);
}

TEST_F(FleetRowsTest, TasksOfSeveralCoresUseThem) {
  builder_.application().environment[0].second.emplace_back("spark.task.cpus", "2");
  EXPECT_NEAR(double(Row("applications")["wastedCoreHours"]), 0, 1e-9);
}

TEST_F(FleetRowsTest, UnknownIsNotZero) {
  builder_.application().executors.clear();
  builder_.application().tasks = {};
  const simdjson::dom::element row = Row("applications");
  for (const char* const name : {"coreHours", "wastedCoreHours", "gbHours", "cost"})
    EXPECT_EQ(row[name].error(), simdjson::NO_SUCH_FIELD) << name;
}

TEST_F(FleetRowsTest, StagesHaveTheNumbersOfTheTableOfStages) {
  builder_.application().tasks.Column(TaskMetric::kGcTime)[1] = 7 * kNanosPerMilli;
  const simdjson::dom::element row = Row("stages");
  EXPECT_EQ(int64_t(row["stage"]), 3);
  EXPECT_EQ(int64_t(row["gcMs"]), 7);
  EXPECT_EQ(int64_t(row["jvmGcTime"]), 7);
}

TEST_F(FleetRowsTest, EveryMemberIsAColumn) {
  builder_.application().sql_executions.emplace_back().plan.name = "Range";
  std::string lines;
  AppendFleetRows(builder_.application(), Answer(builder_.application()), {}, "/logs/app-1", &lines);
  AppendFleetFailure({.source = "/logs/app-2", .id = "app-2", .reason = "empty"}, &lines);
  std::string_view rest = lines;
  while (!rest.empty()) {
    const std::string_view line = TakeLine(&rest);
    const size_t tab = line.find('\t');
    const FleetTable* const table = FindFleetTable(line.substr(0, tab));
    ASSERT_NE(table, nullptr) << line;
    for (const auto& [key, value] : parser_.parse(std::string(line.substr(tab + 1))).get_object()) {
      const bool is_known = key == "date" || std::any_of(table->columns.begin(), table->columns.end(),
                                                         [&](const auto& one) { return one.column.name == key; });
      EXPECT_TRUE(is_known) << table->name << "." << key;
    }
  }
}

TEST(FleetSchemaTest, ThePageOfTheDocumentationHasTheTables) {
  constexpr std::string_view kTypes[] = {"string", "bigint", "double", "boolean", "timestamp"};  // by ParquetType
  std::string page =
      "# Tables of `sparkprof fleet analyze`\n\n"
      "Each table is a folder of Parquet files below the output folder; see [fleet.md](fleet.md). Times are timestamps "
      "in UTC; null is\nunknown. With `--layout hive`, `date` is a partition column: the day of the application's "
      "start, "
      "or of the last change of a log that\nfailed.\n";
  for (const FleetTable& table : FleetTables()) {
    page += fmt::format("\n## {}\n\n{}\n\n| column | type | meaning |\n|---|---|---|\n", table.name, table.meaning);
    for (const FleetColumn& one : table.columns)
      page += fmt::format("| `{}` | {} | {} |\n", one.column.name, kTypes[static_cast<size_t>(one.column.type)],
                          one.meaning);
  }
  EXPECT_EQ(GeneratedFile("docs/fleet-schema.md", page), page) << "run this test with SPARKPROF_UPDATE=1";
}

}  // namespace
}  // namespace sparkprof
