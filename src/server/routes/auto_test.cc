// SPDX-License-Identifier: Apache-2.0
// What the collector answers to jobs that ask for sizes.
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
  EXPECT_EQ(Answer(kGroup + "/auto"), R"(200 {"auto":"","keys":[]})");
  EXPECT_EQ(Send("POST", kGroup + "/auto", R"({"own":{}})").status, 404U);
}

TEST_F(AutoRoutesTest, TheConfigurationOfTheGroupAndTheKeysOfThePolicyAreListed) {
  if (!Start()) GTEST_SKIP() << "no DuckDB";
  EXPECT_EQ(Answer(kGroup + "/auto"), R"(200 {"auto":"","keys":["spark.executor.memory"]})");
  ASSERT_EQ(Send("PUT", kGroup + "/configuration", R"({"configuration":{"auto":"on"}})").status, 200U);
  EXPECT_EQ(Answer(kGroup + "/auto"), R"(200 {"auto":"on","keys":["spark.executor.memory"]})");
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

}  // namespace
}  // namespace sparkprof
