// SPDX-License-Identifier: Apache-2.0
#include "auto/auto_state.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

TEST(AutoStateTest, AStateIsReadBackAsItWasWritten) {
  const AutoState state{.own = {{"spark.executor.memory", "8g"}},
                        .versions = {{.number = 1,
                                      .before = 0,
                                      .time_ns = 1'700'000'000'000'000'000,
                                      .settings = {{"spark.executor.memory", "6g"}},
                                      .key = "spark.executor.memory",
                                      .why = "spark.executor.memory 8g -> 6g: \"why\"",
                                      .runs = {"app-1", "app-2"}}},
                        .refused = {{"spark.executor.memory", "4g", true, 100, "app-0 failed"}}};
  const std::string json = AutoStateJson("daily", state);
  EXPECT_TRUE(json.starts_with(R"({"group":"daily","own":{"spark.executor.memory":"8g"},"versions":[{"number":1,)"));
  const Result<AutoState> read = ParseAutoState(json, "daily.auto.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(AutoStateJson("daily", *read), json);
  EXPECT_NE(read->Find(1), nullptr);
  EXPECT_EQ(read->Find(0), nullptr);
}

TEST(AutoStateTest, ADamagedFileIsAnErrorWithItsName) {
  for (const char* const text : {"", "{", "[]", "{\"versions\":1}", "{\"versions\":[]}"}) {
    const Result<AutoState> read = ParseAutoState(text, "daily.auto.json");
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message.starts_with("daily.auto.json: damaged; ")) << read.error().message;
  }
  const Result<AutoState> odd = ParseAutoState(R"({"versions":[{"number":"x"},3],"refused":[null]})", "f");
  ASSERT_TRUE(odd);
  EXPECT_EQ(odd->versions.size(), 2U);
}

}  // namespace
}  // namespace sparkprof
