// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>

#include "failures/failures.h"

namespace sparkprof {
namespace {

constexpr double kGibibyte = 1 << 30;

std::vector<RemedyStep> Steps(std::string_view text, const std::map<std::string_view, double>& numbers) {
  const std::optional<FailureMatch> match = FindFailure(text);
  return match ? RemedyOf(*match,
                          [&](std::string_view name) -> std::optional<double> {
                            const auto found = numbers.find(name);
                            return found == numbers.end() ? std::nullopt : std::optional(found->second);
                          })
               : std::vector<RemedyStep>();
}

TEST(RemedyTest, AValueIsComputedFromTheTextAndTheApplication) {
  const std::string_view text =
      "Container killed by YARN for exceeding physical memory limits. 6 GB of 5 GB physical memory used";
  const std::vector<RemedyStep> steps = Steps(text, {{"overhead", kGibibyte}});
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].setting, "spark.executor.memoryOverhead");
  EXPECT_EQ(steps[0].value, "3277m") << "1024 + 1.2 * 6144 - 5120, rounded up";
  EXPECT_EQ(steps[1].setting, "");
  EXPECT_EQ(steps[1].value,
            "Use fewer cores per executor, fewer Python workers, or smaller partitions and groups (applyInPandas holds "
            "a group as a whole)");
}

TEST(RemedyTest, AnActionNamesBothClassesOfTheTrace) {
  const std::string_view modern =
      "java.lang.NoSuchMethodError: 'void okio.Segment.<init>(byte[], int)'\n"
      "\tat okhttp3.internal.http2.Http2Writer.settings(Http2Writer.java:110) ~[okhttp-4.9.3.jar:?]";
  EXPECT_EQ(Steps(modern, {})[0].value,
            "Use versions that fit together: okhttp3.internal.http2.Http2Writer.settings of okhttp-4.9.3.jar was "
            "compiled against another okio.Segment.<init> than the one on the classpath");
  const std::string_view old =
      "java.lang.NoSuchMethodError: okio.Segment.<init>([BI)V\n"
      "\tat okhttp3.internal.http2.Http2Writer.settings(Http2Writer.java:110)";
  EXPECT_EQ(Steps(old, {})[0].value,
            "Use versions that fit together: okhttp3.internal.http2.Http2Writer.settings was compiled against another "
            "okio.Segment.<init> than the one on the classpath");
  EXPECT_EQ(Steps("java.lang.NoSuchFieldError: JAVA_9", {})[0].value,
            "Find the two jars: that of the class in the message, and that of its caller");
}

TEST(RemedyTest, WithoutANumberTheValueIsInWords) {
  const std::vector<RemedyStep> steps = Steps("java.lang.OutOfMemoryError: Java heap space", {});
  ASSERT_FALSE(steps.empty());
  EXPECT_EQ(steps[0].value, "half as much again");
  EXPECT_TRUE(RemedyText(steps).starts_with("Set spark.executor.memory to half as much again. Use more partitions"));
}

TEST(RemedyTest, TheNumbersOfTheTextAloneGiveTheIncrease) {
  const std::string_view text =
      "Container killed by YARN for exceeding physical memory limits. 6 GB of 5 GB physical memory used";
  EXPECT_EQ(Steps(text, {})[0].value, "at least 2253m more than it is now") << "1.2 * 6144 - 5120, rounded up";
}

TEST(RemedyTest, ASettingHasADefault) {
  const std::string_view text = "Kryo serialization failed: Buffer overflow. Available: 0, required: 636";
  EXPECT_EQ(Steps(text, {})[0].value, "128m");
  EXPECT_EQ(Steps(text, {{"spark.kryoserializer.buffer.max", kGibibyte / 4}})[0].value, "512m");
  EXPECT_EQ(RemedyText(Steps(text, {})), "Set spark.kryoserializer.buffer.max=128m");
}

TEST(RemedyTest, ResultsOfAllTasksDecideTheirLimit) {
  const std::string_view text =
      "Total size of serialized results of 13 tasks (1026.4 MiB) is bigger than spark.driver.maxResultSize (1024.0 "
      "MiB)";
  EXPECT_EQ(Steps(text, {{"tasks", 26}})[1].value, "2566m");
}

TEST(RemedyTest, AHoleOfWordsIsInsertedAsItIs) {
  const std::string_view text = "Received permanent redirect response to region eu-west-1. This likely indicates";
  EXPECT_EQ(Steps(text, {})[0].value, "eu-west-1");
}

TEST(RemedyTest, NamesOfOneListThatAnotherLacksAreNamed) {
  const std::string_view text =
      "the reason is not enough data columns:\nTable columns: `a`, `b`, `c`.\nData columns: `a`, `b`. SQLSTATE: 21S01";
  const std::optional<FailureMatch> match = FindFailure(text);
  ASSERT_TRUE(match);
  const auto none = [](std::string_view) { return std::nullopt; };
  EXPECT_EQ(MeaningOf(*match, none), "The rows to write lack columns of the table: `c`.");
  EXPECT_EQ(MeaningOf({match->failure, 0, {}}, none), "The rows to write have fewer columns than the table.");
}

TEST(RemedyTest, EveryStepHasAValueWithAndWithoutNumbers) {
  for (const Failure& failure : Failures()) {
    const FailureMatch match = {&failure, 0, {}};
    for (const RemedyStep& step : RemedyOf(match, [](std::string_view) { return std::nullopt; }))
      EXPECT_FALSE(step.value.empty()) << failure.id << " " << step.setting;
    for (const RemedyStep& step : RemedyOf(match, [](std::string_view) { return std::optional(kGibibyte); })) {
      EXPECT_FALSE(step.value.empty()) << failure.id << " " << step.setting;
      EXPECT_EQ(step.value.find('{'), std::string::npos) << failure.id << " " << step.value;
    }
  }
}

}  // namespace
}  // namespace sparkprof
