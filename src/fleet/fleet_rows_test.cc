// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_rows.h"

#include <gtest/gtest.h>
#include <simdjson.h>

#include <fstream>
#include <sstream>

#include "analysis/testing/application_builder.h"
#include "base/lines.h"
#include "base/testing/source_file.h"
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

  // The first row of a table.
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

TEST(FleetSchemaTest, TheDocumentationHasEveryColumn) {
  std::ifstream file(SourceFile("docs/fleet-schema.md"));
  std::stringstream text;
  text << file.rdbuf();
  for (const FleetTable& table : FleetTables()) {
    EXPECT_NE(text.str().find("## " + std::string(table.name)), std::string::npos) << table.name;
    for (const FleetColumn& one : table.columns) {
      const std::string end = "| " + std::string(one.meaning) + " |";
      EXPECT_NE(text.str().find("| `" + std::string(one.column.name) + "` |"), std::string::npos) << one.column.name;
      EXPECT_NE(text.str().find(end), std::string::npos) << end;
    }
  }
}

}  // namespace
}  // namespace sparkprof
