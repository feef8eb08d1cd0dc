// SPDX-License-Identifier: Apache-2.0
#include "fleet/fleet_policy.h"

#include <gtest/gtest.h>

#include <utility>

#include "base/testing/folder_test.h"
#include "catalogue/duckdb/duckdb_library.h"
#include "fleet/fleet_result.h"
#include "fleet/fleet_store.h"

namespace sparkprof {
namespace {

TEST(PolicyTest, RulesHaveDefaults) {
  const Result<Policy> policy = ParsePolicy("rules: [{name: idle, where: coreHours > 1}]", "p.yaml");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->rules.at(0).table, "applications");
  EXPECT_EQ(policy->rules.at(0).most, 0);
}

TEST(PolicyTest, AnErrorNamesTheFileAndTheLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"rules: []", "p.yaml:1: expected a list of 1 to 1000 rules"},
      {"rules:\n- name: a\n  when: x", "p.yaml:3: unknown key \"when\"; use name, table, where, most, message"},
      {"rules:\n- name: a", "p.yaml:2: a: no where"},
      {"rules:\n- name: a\n  where: x\n  table: tasks", "p.yaml:4: a: unknown table \"tasks\""},
      {"rules:\n- name: a\n  where: x\n  most: -1", "p.yaml:4: a: most: expected a number from 0 on"},
      {"rules: [", "p.yaml:1"},
  };
  for (const auto& [text, message] : cases) {
    const Result<Policy> policy = ParsePolicy(text, "p.yaml");
    ASSERT_FALSE(policy) << text;
    EXPECT_TRUE(policy.error().message.starts_with(message)) << policy.error().message;
  }
}

class PolicyCheckTest : public FolderTest {
 protected:
  void SetUp() override {
    if (const auto library = LoadDuckdb(); !library) GTEST_SKIP() << library.error().message;
    Result<FleetStore> store = FleetStore::Open(folder_, FleetLayout::kFlat);
    ASSERT_TRUE(store) << store.error().message;
    for (int i = 1; i <= 3; ++i) {
      const std::string id = "app-" + std::to_string(i), source = "/logs/" + id;
      const std::string start = std::to_string(1'700'000'000'000 + i);
      ASSERT_TRUE(store->Add(
          {source, "1"},
          "applications\t{\"date\":\"2023-11-14\",\"id\":\"" + id + "\",\"attempt\":\"\",\"name\":\"etl_2023-11-0" +
              std::to_string(i) + "\",\"user\":\"<b>\",\"start\":" + start + ",\"end\":" + start +
              ",\"durationMs\":1000,\"coreHours\":" + std::to_string(i) +
              ",\"wastedCoreHours\":1,\"gbHours\":2,\"findings\":1,\"engine\":\"spark\",\"source\":\"" + source +
              "\"}\nfindings\t{\"date\":\"2023-11-14\",\"id\":\"" + id +
              "\",\"attempt\":\"\",\"rule\":\"skew\",\"title\":\"t\",\"change\":\"c\","
              "\"savedCoreHours\":0.5,\"source\":\"" +
              source + "\"}\ndatasets\t{\"id\":\"" + id + "\",\"attempt\":\"\",\"namespace\":\"file\",\"name\":\"" +
              (i == 2 ? "rare" : "sales") + "\",\"reads\":1,\"source\":\"" + source +
              "\"}\nsettings\t{\"date\":\"2023-11-14\",\"id\":\"" + id +
              "\",\"attempt\":\"\",\"key\":\"spark.executor.cores\",\"value\":\"" + (i < 3 ? "2" : "4") +
              "\",\"source\":\"" + source + "\"}\n"));
    }
    ASSERT_TRUE(store->Finish());
  }

  Result<std::vector<PolicyResult>> Check(const std::string& where, int64_t most = 0) {
    return CheckPolicy(folder_, {.rules = {{.name = "rule", .where = where, .most = most}}});
  }
};

TEST_F(PolicyCheckTest, ARuleIsBrokenByMoreRowsThanItAccepts) {
  const auto results = Check("coreHours >= 2");
  ASSERT_TRUE(results) << results.error().message;
  EXPECT_TRUE(results->at(0).IsBroken());
  EXPECT_EQ(results->at(0).rows, 2);
  EXPECT_EQ(results->at(0).examples, (std::vector<std::string>{"app-2 (/logs/app-2)", "app-3 (/logs/app-3)"}));
  EXPECT_FALSE(Check("coreHours >= 2", 2)->at(0).IsBroken());
  EXPECT_FALSE(Check("false -- none")->at(0).IsBroken());
}

TEST_F(PolicyCheckTest, ConditionsReadNoFiles) {
  for (const char* const where :
       {"coreHours > 1 AND EXISTS (FROM read_text('/etc/passwd'))", "true); COPY (SELECT 1", "x >"}) {
    const auto results = Check(where);
    ASSERT_FALSE(results) << where;
    EXPECT_TRUE(results.error().message.starts_with("rule rule: ")) << results.error().message;
  }
}

TEST_F(PolicyCheckTest, ThePageHasTheRows) {
  const Result<std::string> data = FleetReportData(folder_, PriceList{"EUR", 2, 1});
  ASSERT_TRUE(data) << data.error().message;
  for (const char* const part :
       {"\"currency\":\"EUR\"", "\"job\":[\"etl_*\"]", "\"id\":[\"app-1\",\"app-2\",\"app-3\"]",
        "\"core\":[1.0,2.0,3.0]", "\"cost\":[4.0,6.0,8.0]", "\"findingApplication\":[0,1,2]",
        "\"findingCore\":[0.5,0.5,0.5]", "\"failed\":0"}) {
    EXPECT_NE(data->find(part), std::string::npos) << part << " in " << *data;
  }
  const Result<std::string> page = FleetReport(folder_, {});
  ASSERT_TRUE(page);
  EXPECT_EQ(page->find("\"<b>\""), std::string::npos);
  EXPECT_NE(page->find("\\u003cb>"), std::string::npos);
}

// The bits of app-1, app-2 and app-3, first the highest: 101 is oA==, 010 is QA==, 110 is wA== and 001 is IA==.
TEST_F(PolicyCheckTest, TablesAndSettingsHaveTheirApplications) {
  const Result<std::string> data = FleetReportData(folder_, {});
  ASSERT_TRUE(data) << data.error().message;
  for (const auto& [name, rows] : {std::pair("\"name\":\"sales\"", "oA=="), std::pair("\"name\":\"rare\"", "QA=="),
                                   std::pair("\"value\":\"2\"", "wA=="), std::pair("\"value\":\"4\"", "IA==")}) {
    const size_t row = data->find(name);
    ASSERT_NE(row, std::string::npos) << name << " in " << *data;
    const std::string of_row = data->substr(row, data->find('}', row) - row);
    EXPECT_NE(of_row.find("\"bits\":\"" + std::string(rows) + '"'), std::string::npos) << of_row;
  }
}

TEST_F(PolicyCheckTest, AnotherFolderIsAnError) {
  EXPECT_FALSE(CheckPolicy("/does/not/exist", {}));
  EXPECT_FALSE(FleetReport("/does/not/exist", {}));
}

}  // namespace
}  // namespace sparkprof
