// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_results.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace sparkprof {
namespace {

SuiteResults Example() {
  RepeatResult good{.repeat = 1, .start_ns = 2'000'000'000, .seconds = 2.5, .cpu_seconds = 4, .max_rss_bytes = 300};
  good.maxima["jvm"] = {
      .processes = 2, .max_cpu_percent = 150, .max_rss_bytes = 200, .max_private_bytes = 0, .max_virtual_bytes = 900};
  good.folder = "sort/1";
  RepeatResult failed{.repeat = 2, .exit_code = 143, .timed_out = true, .seconds = 60};
  JobResult job{.name = "sort", .size = 1000, .parameters = {{"size", "1000"}}, .is_profiled = true, .repeats = {}};
  job.repeats = {good, failed};
  SuiteResults results{.suite = "nightly", .version = "1", .user = "me", .status = "failed", .run = 7, .jobs = {job}};
  results.start_ns = 1'000'000'000;
  results.end_ns = 9'000'000'000;
  return results;
}

TEST(SuiteResultsTest, ASummaryIsReadAsItWasWritten) {
  const std::string written = SummaryJson(Example());
  const Result<SuiteResults> read = ParseSummary(written, "summary.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(SummaryJson(*read), written);
  EXPECT_EQ(read->run, 7);
  ASSERT_EQ(read->jobs.size(), 1u);
  EXPECT_EQ(read->jobs[0].parameters.at("size"), "1000");
  ASSERT_EQ(read->jobs[0].repeats.size(), 2u);
  EXPECT_TRUE(read->jobs[0].repeats[1].timed_out);
  EXPECT_EQ(read->jobs[0].repeats[0].maxima.at("jvm").max_cpu_percent, 150);
}

TEST(SuiteResultsTest, ARunWithoutAServerAndAJobWithoutASizeStaySo) {
  SuiteResults results = Example();
  results.run.reset();
  results.jobs[0].size.reset();
  const Result<SuiteResults> read = ParseSummary(SummaryJson(results), "summary.json");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->run);
  EXPECT_FALSE(read->jobs[0].size);
  EXPECT_EQ(JobLabel(read->jobs[0]), "sort");
  EXPECT_EQ(JobLabel(Example().jobs[0]), "sort, size 1000");
}

TEST(SuiteResultsTest, OtherFilesAreRefused) {
  for (const char* const text : {"", "[]", "{}", "{\"jobs\":1}", "not JSON"}) {
    const Result<SuiteResults> read = ParseSummary(text, "x.json");
    ASSERT_FALSE(read) << text;
    EXPECT_TRUE(read.error().message.starts_with("x.json: ")) << read.error().message;
  }
}

TEST(SuiteResultsTest, MembersOfOtherTypesAreLeftOut) {
  const Result<SuiteResults> read = ParseSummary(
      R"({"suite":3,"run":"7","jobs":[1,{"name":"a","size":"big","repeats":[2,{"maxima":{"jvm":1}}]}]})", "x.json");
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->run);
  ASSERT_EQ(read->jobs.size(), 1u);
  EXPECT_FALSE(read->jobs[0].size);
  ASSERT_EQ(read->jobs[0].repeats.size(), 1u);
  EXPECT_TRUE(read->jobs[0].repeats[0].maxima.empty());
}

TEST(SuiteResultsTest, OnlyRunsThatSucceededAreCompared) {
  const std::map<std::string, std::vector<double>> measures = MeasuresOf(Example().jobs[0]);
  EXPECT_EQ(measures.at("seconds"), (std::vector<double>{2.5}));
  EXPECT_EQ(measures.at("maxRssBytes.jvm"), (std::vector<double>{200}));
  EXPECT_FALSE(measures.contains("maxPrivateBytes.jvm")) << "not read is not 0";
}

}  // namespace
}  // namespace sparkprof
