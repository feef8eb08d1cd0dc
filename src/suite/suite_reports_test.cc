// SPDX-License-Identifier: Apache-2.0
#include "suite/suite_reports.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace sparkprof {
namespace {

// Job sort with a repeat for each number of seconds; the exit code of the second one is 3.
SuiteResults Results(const std::vector<double>& seconds, double size = 10) {
  SuiteResults results{.suite = "night|ly <1>", .status = "failed", .jobs = {{.name = "sort", .size = size}}};
  for (const double value : seconds) {
    RepeatResult repeat{.repeat = static_cast<int64_t>(results.jobs[0].repeats.size()) + 1, .seconds = value};
    repeat.exit_code = repeat.repeat == 2 ? 3 : 0;
    repeat.cpu_seconds = 2 * value;
    repeat.max_rss_bytes = 64 << 20;
    repeat.folder = "sort-10/" + std::to_string(repeat.repeat);
    results.jobs[0].repeats.push_back(repeat);
  }
  return results;
}

// One measure that got worse, one with too few repeats, and a job that failed.
SuiteComparison Comparison() {
  SuiteComparison comparison;
  comparison.measures = {{.job = "sort, size 10",
                          .measure = "seconds",
                          .earlier_repeats = 5,
                          .later_repeats = 5,
                          .least_repeats = 3,
                          .earlier_median = 2,
                          .later_median = 3,
                          .probability = 0.004,
                          .verdict = Verdict::kWorse},
                         {.job = "sort, size 10",
                          .measure = "maxRssBytes",
                          .earlier_repeats = 1,
                          .later_repeats = 2,
                          .least_repeats = 3,
                          .earlier_median = 0,
                          .later_median = 1 << 20,
                          .verdict = Verdict::kTooFewRepeats}};
  comparison.failures = {"join: missing"};
  return comparison;
}

TEST(SuiteReportsTest, EachRepeatIsATestCaseAndFailedOnesNameTheirLog) {
  EXPECT_EQ(ResultsJunit(Results({1.5, 2})),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"night|ly &lt;1&gt;\" tests=\"2\" failures=\"1\" skipped=\"0\">\n"
            "  <testcase classname=\"sort, size 10\" name=\"repeat 1\" time=\"1.500\"></testcase>\n"
            "  <testcase classname=\"sort, size 10\" name=\"repeat 2\" time=\"2.000\">"
            "<failure message=\"exit code 3; see sort-10/2/output.log\"/></testcase>\n"
            "</testsuite>\n");
}

TEST(SuiteReportsTest, WorseMeasuresAreFailuresAndUndecidedOnesAreSkipped) {
  EXPECT_EQ(ComparisonJunit(Comparison()),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"comparison\" tests=\"3\" failures=\"2\" skipped=\"1\">\n"
            "  <testcase classname=\"sort, size 10\" name=\"seconds\" time=\"0.000\">"
            "<failure message=\"2.0 s → 3.0 s (+50.0%)\"/></testcase>\n"
            "  <testcase classname=\"sort, size 10\" name=\"maxRssBytes\" time=\"0.000\"><skipped message=\"too few "
            "repeats to decide: 1 and 2, at least 3 each are needed\"/></testcase>\n"
            "  <testcase classname=\"jobs\" name=\"join: missing\" time=\"0.000\">"
            "<failure message=\"join: missing\"/></testcase>\n"
            "</testsuite>\n");
}

TEST(SuiteReportsTest, TheTableOfResultsHasMediansOfTheRunsThatSucceeded) {
  EXPECT_EQ(ResultsMarkdown(Results({1, 100, 3, 2})),
            "night\\|ly \\<1\\>: failed\n\n"
            "| job | repeats | failed | seconds | CPU | memory |\n|---|---:|---:|---:|---:|---:|\n"
            "| sort, size 10 | 4 | 1 | 2.0 s | 4.0 s | 64.0 MiB |\n");
}

TEST(SuiteReportsTest, TheMedianOfAnEvenNumberOfRunsLiesBetweenTwoOfThem) {
  EXPECT_NE(ResultsMarkdown(Results({1, 100, 3, 2, 4})).find("| 2.5 s | 5.0 s |"), std::string::npos);
}

TEST(SuiteReportsTest, JobsOfSeveralSizesHaveAnExponentOfGrowth) {
  SuiteResults results = Results({1, 9, 1.1, 0.9}, 10);
  results.jobs.push_back(Results({10, 9, 11, 9}, 100).jobs[0]);
  for (JobResult& job : results.jobs) {
    for (RepeatResult& repeat : job.repeats) repeat.maxima["jvm"] = {.processes = 1, .max_rss_bytes = 100};
  }
  const std::string text = ResultsMarkdown(results);
  EXPECT_NE(text.find("| job | measure | exponent of growth with size |"), std::string::npos) << text;
  EXPECT_NE(text.find("| sort | seconds | 1.00 ± 0.0"), std::string::npos) << text;
  EXPECT_EQ(text.find("jvm"), std::string::npos) << "values by type of process are in the summary only";
}

TEST(SuiteReportsTest, TheTableOfAComparisonHasChangesAndVerdicts) {
  EXPECT_EQ(ComparisonMarkdown(Comparison()),
            "| job | measure | change of the median | p | verdict |\n|---|---|---|---:|---|\n"
            "| sort, size 10 | seconds | 2.0 s → 3.0 s (+50.0%) | 0.004 | worse |\n"
            "| sort, size 10 | maxRssBytes | 0 B → 1.0 MiB | 1.000 | too few repeats to decide: 1 and 2, at least 3 "
            "each are needed |\n"
            "| join: missing | | | | failed |\n");
}

TEST(SuiteReportsTest, TheSummaryOfAComparisonFitsAScreenAndHasTheChangesFirst) {
  EXPECT_EQ(ComparisonSummary(Comparison()), ComparisonMarkdown(Comparison()));
  SuiteComparison many;
  for (int job = 0; job < 40; ++job) {
    many.measures.push_back({.job = fmt::format("job {}", job), .measure = "maxRssBytes.jvm"});
    many.failures.push_back(fmt::format("job {}: failed", job));
  }
  many.measures.push_back({.job = "last", .measure = "seconds", .verdict = Verdict::kWorse});
  const std::string text = ComparisonSummary(many);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 24) << text;
  EXPECT_LT(text.find("| last | seconds |"), text.find("| job 0 |")) << text;
  EXPECT_NE(text.find("and 61 more; --markdown FILE and --json have all"), std::string::npos) << text;
}

TEST(SuiteReportsTest, TheJsonOfAComparisonHasEveryMeasureAndFailure) {
  SuiteComparison comparison = Comparison();
  comparison.measures.pop_back();
  EXPECT_EQ(ComparisonJson(comparison),
            R"({"measures":[{"job":"sort, size 10","measure":"seconds","earlierRepeats":5,"laterRepeats":5,)"
            R"("earlierMedian":2,"laterMedian":3,"probability":0.004,"verdict":"worse"}],"failures":["join: missing"]})"
            "\n");
}

}  // namespace
}  // namespace sparkprof
