// SPDX-License-Identifier: Apache-2.0
#include "auto/auto_policy.h"

#include <gtest/gtest.h>

namespace sparkprof {
namespace {

constexpr int64_t kGib = int64_t{1} << 30;

AutoRule Memory(const std::string& limits) {
  const Result<AutoPolicy> policy = ParseAutoPolicy("settings: {spark.executor.memory: {" + limits + "}}", "policy");
  EXPECT_TRUE(policy) << policy.error().message;
  return policy ? policy->rules.at(0) : AutoRule{};
}

std::string Problem(const std::string& text) {
  const Result<AutoPolicy> policy = ParseAutoPolicy(text, "auto.yaml");
  return policy ? "none" : policy.error().message;
}

TEST(AutoPolicyTest, SettingsKeepTheOrderOfTheFile) {
  const Result<AutoPolicy> policy = ParseAutoPolicy(R"(
runs: 6
settings:
  spark.executor.memoryOverhead: {min: 384m, max: 4g, step: 1g}
  spark.executor.instances: {min: 2, max: 20, step: 2}
  spark.sql.adaptive.enabled: {values: [true]}
)",
                                                    "auto.yaml");
  ASSERT_TRUE(policy) << policy.error().message;
  EXPECT_EQ(policy->runs, 6U);
  EXPECT_EQ(policy->history, 20U);
  ASSERT_EQ(policy->rules.size(), 3U);
  EXPECT_EQ(policy->rules[0].unit, AutoRule::Unit::kBytes);
  EXPECT_EQ(policy->rules[1].unit, AutoRule::Unit::kCount);
  EXPECT_TRUE(policy->Find("spark.sql.adaptive.enabled")->Allows("true"));
  EXPECT_FALSE(policy->Find("spark.sql.adaptive.enabled")->Allows("false"));
}

TEST(AutoPolicyTest, AChangeStaysWithinStepAndLimits) {
  const AutoRule rule = Memory("min: 4g, max: 16g, step: 25%");
  EXPECT_EQ(rule.Next(8 * kGib, 5 * kGib), 6 * kGib);
  EXPECT_EQ(rule.Next(8 * kGib, 7 * kGib), 7 * kGib);
  EXPECT_EQ(rule.Next(5 * kGib, 1 * kGib), 4 * kGib);
  EXPECT_EQ(rule.Next(14 * kGib, 64 * kGib), 16 * kGib);
  EXPECT_EQ(rule.Next(8 * kGib, 8 * kGib - 1), 8 * kGib);
}

TEST(AutoPolicyTest, AStepNeverEndsOutsideOfTheLimits) {
  const AutoRule rule = Memory("min: 4g, max: 16g, step: 25%");
  EXPECT_EQ(rule.Next(32 * kGib, 8 * kGib), 32 * kGib);
  EXPECT_EQ(rule.Next(2 * kGib, 8 * kGib), 2 * kGib);
  EXPECT_EQ(rule.Next(20 * kGib, 8 * kGib), 15 * kGib);
}

TEST(AutoPolicyTest, ASizeWithoutUnitIsInMebibytesAsInSpark) {
  const AutoRule rule = Memory("min: 4g, max: 16g, step: 1g");
  EXPECT_EQ(rule.Number("8192"), 8 * kGib);
  EXPECT_TRUE(rule.AreEqual("8192", "8g"));
  EXPECT_TRUE(rule.Allows("4096m"));
  EXPECT_FALSE(rule.Allows("3g"));
  EXPECT_EQ(rule.Number("much"), std::nullopt);
}

TEST(AutoPolicyTest, ASizeOfSqlIsInBytesAsInSparkAndChangesByMebibytes) {
  const Result<AutoPolicy> policy =
      ParseAutoPolicy("settings: {spark.sql.autoBroadcastJoinThreshold: {min: 10m, max: 256m, step: 64m}}", "policy");
  ASSERT_TRUE(policy) << policy.error().message;
  const AutoRule& rule = policy->rules[0];
  EXPECT_EQ(rule.Text(rule.Next(*rule.Number("10485760"), *rule.Number("64m"))), "64m");
  EXPECT_EQ(rule.Text(rule.Next(*rule.Number("10m"), *rule.Number("200m"))), "74m");
  EXPECT_TRUE(rule.AreEqual("10485760", "10m"));
  EXPECT_EQ(rule.Number("-1"), std::nullopt);
}

TEST(AutoPolicyTest, ValuesThatCouldOverflowAreUnknown) {
  const AutoRule memory = Memory("min: 4g, max: 16g, step: 25%");
  EXPECT_EQ(memory.Number("9223372036854775807"), std::nullopt);
  EXPECT_EQ(memory.Number("8000p"), std::nullopt);
  const AutoRule count{.key = "spark.executor.instances", .unit = AutoRule::Unit::kCount};
  EXPECT_EQ(count.Number("9223372036854775807"), std::nullopt);
  EXPECT_EQ(count.Number("20"), 20);
}

TEST(AutoPolicyTest, SettingsThatRunProgramsOrChangeRowsAreNeverAutomatic) {
  for (const char* const key : {"spark.driver.extraJavaOptions", "spark.pyspark.python", "spark.sql.ansi.enabled",
                                "spark.plugins", "spark.master", "spark.hadoop.fs.s3a.access.key", "executor.memory"}) {
    EXPECT_FALSE(MayBeAutomatic(key, "1")) << key;
  }
  EXPECT_TRUE(MayBeAutomatic("spark.executor.memory", "6g"));
  for (const char* const value : {"", "a b", "../x", "6g,7g", "$(x)", "6g\n"})
    EXPECT_FALSE(MayBeAutomatic("spark.executor.memory", value)) << value;
}

TEST(AutoPolicyTest, ErrorsNameTheLineAndTheRemedy) {
  EXPECT_EQ(Problem("settings:\n  spark.sql.session.timeZone: {values: [UTC]}\n"),
            "auto.yaml:2: spark.sql.session.timeZone: not a setting that may change automatically; docs/auto.md lists "
            "them");
  EXPECT_EQ(Problem("settings:\n  spark.executor.memory: {min: 4, max: 8, step: 25%}\n"),
            "auto.yaml:2: spark.executor.memory: min: \"4\" has no unit; use 2g or 512m");
  EXPECT_EQ(Problem("settings:\n  spark.executor.memory: {min: 8g, max: 4g, step: 25%}\n"),
            "auto.yaml:2: spark.executor.memory: max: expected at least min, with its unit");
  EXPECT_EQ(Problem("settings:\n  spark.executor.memory: {min: 4g, max: 8g}\n"),
            "auto.yaml:2: spark.executor.memory: \"step\" is missing; expected min, max and step, or values");
  EXPECT_EQ(Problem("settings:\n  spark.executor.instances: {min: 2, max: 8, step: 1g}\n"),
            "auto.yaml:2: spark.executor.instances: step: expected the unit of min, or a share: 25%");
  EXPECT_EQ(Problem("runs: 3\nsettings: {}\n"), "auto.yaml:1: runs: expected a number from 5 to 100");
  EXPECT_EQ(Problem("setting: {}\n"), "auto.yaml:1: policy: unknown key \"setting\"; use runs, history, settings");
  EXPECT_NE(Problem("settings: ["), "none");
}

}  // namespace
}  // namespace sparkprof
