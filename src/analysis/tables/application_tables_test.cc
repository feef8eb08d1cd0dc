// SPDX-License-Identifier: Apache-2.0
#include "analysis/tables/application_tables.h"

#include <gtest/gtest.h>

#include "analysis/tables/row_filter.h"
#include "analysis/testing/application_builder.h"

namespace sparkprof {
namespace {

class ApplicationTablesTest : public testing::Test {
 protected:
  ApplicationTablesTest() {
    builder_.AddExecutor("1", 2);
    const int32_t stage = builder_.AddStage(3, 0, 7);
    builder_.AddTask(10, stage, 0, 1, 2);
    builder_.AddJob(7, {3});
  }

  Result<Table> Make(std::string_view name, const Selection& selection = {}) {
    return FindApplicationTable(name).value()->make({.sources = {{&builder_.application(), selection}}});
  }

  ApplicationBuilder builder_;
};

TEST_F(ApplicationTablesTest, EveryTableIsMadeOfAnyApplication) {
  const Application empty;
  for (const ApplicationTable& table : ApplicationTables()) {
    const Result<Table> made = Make(table.name);
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_EQ(made->name, table.name);
    for (size_t row = 0; row < made->rows; ++row) {
      for (const TableColumn& column : made->columns) column.cell(row);
    }
    const Result<Table> of_nothing = table.make({.sources = {{&empty, {}}}});
    ASSERT_TRUE(of_nothing) << of_nothing.error().message;
    EXPECT_EQ(of_nothing->rows, 0u) << table.name;
  }
}

TEST_F(ApplicationTablesTest, RowsOfSeveralApplicationsNameTheirs) {
  builder_.application().id = "app-1";
  Application other = builder_.application();
  other.id = "app-2";
  const TableData data{.sources = {{&builder_.application(), {}}, {&other, {}}}};
  const Result<Table> jobs = FindApplicationTable("jobs").value()->make(data);
  ASSERT_TRUE(jobs);
  ASSERT_EQ(jobs->rows, 2u);
  EXPECT_EQ(jobs->columns[0].name, "applicationId");
  EXPECT_EQ(std::get<std::string_view>(jobs->columns[0].cell(1)), "app-2");
}

TEST_F(ApplicationTablesTest, ASelectionLeavesItsRows) {
  Selection selection;
  selection.stage = 3;
  selection.stage_attempt = 0;
  EXPECT_EQ(Make("tasks", selection)->rows, 1u);
  EXPECT_EQ(Make("jobs", selection)->rows, 1u);
  selection.stage_attempt = 1;
  EXPECT_EQ(Make("tasks", selection)->rows, 0u);
  EXPECT_FALSE(Make("environment", selection));
}

TEST_F(ApplicationTablesTest, SettingsThatTheJobChangedComeFirstAndThoseOfTheProfilerLast) {
  Application& application = builder_.application();
  application.settings = {{.name = "plugin", .value = "1"}};
  application.environment = {{"Hadoop", {{"fs.s3a.impl", "x"}}},
                             {"Kubernetes", {{"pod", "a"}}},
                             {"Spark",
                              {{"spark.app.id", "local-1"},
                               {"spark.plugins", "org.sparkprof.SparkProfPlugin"},
                               {"spark.plugins.internal.conf.org.sparkprof.SparkProfPlugin.dir", "/tmp"},
                               {"spark.scheduler.mode", "FIFO"},
                               {"spark.sql.shuffle.partitions", "400"}}}};
  const Result<Table> table = Make("environment", {});
  ASSERT_TRUE(table);
  std::string sections;
  for (size_t row = 0; row < table->rows; ++row) {
    const auto text = [&](size_t column) { return std::get<std::string_view>(table->columns[column].cell(row)); };
    sections += std::string(text(1)) + ": " + std::string(text(3)) + "\n";
  }
  EXPECT_EQ(sections,
            "spark.sql.shuffle.partitions: Spark, changed from the default\n"
            "spark.scheduler.mode: Spark, set to the default\n"
            "spark.app.id: Spark, of this run\n"
            "fs.s3a.impl: Hadoop\n"
            "pod: Kubernetes\n"
            "spark.plugins: Profiler\n"
            "spark.plugins.internal.conf.org.sparkprof.SparkProfPlugin.dir: Profiler\n"
            "plugin: Profiler\n");
}

TEST_F(ApplicationTablesTest, AWrongNameIsAnErrorThatNamesTheNearest) {
  const auto table = FindApplicationTable("task");
  ASSERT_FALSE(table);
  EXPECT_NE(table.error().message.find("did you mean tasks? use one of applications, jobs, tags, stages, tasks"),
            std::string::npos)
      << table.error().message;
}

}  // namespace
}  // namespace sparkprof
