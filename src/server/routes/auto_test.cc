// SPDX-License-Identifier: Apache-2.0
// Automatic sizes: a group's configuration with the policy's settings, and decisions for a job.
#include "server/testing/collector.h"

namespace sparkprof {
namespace {

const std::string kGroup = "/api/sparkprof/v1/groups/etl";

class AutoRoutesTest : public CollectorTest {
 protected:
  bool Start(bool has_policy = true) {
    ServerOptions options;
    if (has_policy) {
      options.auto_policy =
          *ParseAutoPolicy("settings: {spark.executor.memory: {min: 2g, max: 8g, step: 25%}}", "policy");
    }
    return CollectorTest::Start({}, std::move(options));
  }
};

TEST_F(AutoRoutesTest, WithoutAPolicyNothingIsDecided) {
  if (!Start(false)) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kGroup + "/configuration/auto"), R"(200 {"auto":"","keys":[]})");
  EXPECT_EQ(Send("POST", kGroup + "/auto", R"({"own":{}})").status, 404U);
}

TEST_F(AutoRoutesTest, TheConfigurationOfTheGroupAndTheKeysOfThePolicyAreListed) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kGroup + "/configuration/auto"), R"(200 {"auto":"","keys":["spark.executor.memory"]})");
  ASSERT_EQ(Send("PUT", kGroup + "/configuration", R"({"configuration":{"auto":"on"}})").status, 200U);
  EXPECT_EQ(Answer(kGroup + "/configuration/auto"), R"(200 {"auto":"on","keys":["spark.executor.memory"]})");
}

TEST_F(AutoRoutesTest, AGroupWithoutRunsKeepsTheJobsOwnSettings) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(Send("POST", kGroup + "/auto", R"({"own":{"spark.executor.memory":"8g","spark.x":"y"}})")),
            R"(200 {"kind":"kept","text":"no change: 0 good runs in a row with the present settings, 5 are required",)"
            R"("version":0,"settings":{}})");
}

TEST_F(AutoRoutesTest, ABodyWithoutValuesIsRefused) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  for (const char* const body : {"", "[]", "{\"own\":3}", "{"})
    EXPECT_EQ(Send("POST", kGroup + "/auto", body).status, 400U) << body;
}

TEST_F(AutoRoutesTest, TheVersionsOfAGroupAreListed) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kGroup + "/auto/versions"), R"(200 {"group":"etl","own":{},"versions":[],"refused":[]})");
  const AutoState state{.own = {{"spark.executor.memory", "8g"}},
                        .versions = {{.number = 1, .settings = {{"spark.executor.memory", "6g"}}, .why = "w"}},
                        .refused = {}};
  std::filesystem::create_directories(Path("auto"));
  std::ofstream(Path("auto/etl.auto.json")) << AutoStateJson("etl", state) << "\n";
  EXPECT_EQ(Answer(kGroup + "/auto/versions"), "200 " + AutoStateJson("etl", state));
}

}  // namespace
}  // namespace sparkprof
