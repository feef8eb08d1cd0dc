// SPDX-License-Identifier: Apache-2.0
#include "suite/comparison.h"

#include <gtest/gtest.h>

#include "suite/statistics.h"

namespace sparkprof {
namespace {

SuiteResults Results(const std::vector<double>& seconds, double size = 10) {
  SuiteResults results;
  results.jobs.push_back({"sort", size, {}, false, {}});
  for (const double value : seconds) {
    RepeatResult repeat;
    repeat.seconds = value;
    repeat.cpu_seconds = 1;
    repeat.max_rss_bytes = 1000;
    results.jobs[0].repeats.push_back(repeat);
  }
  return results;
}

Verdict VerdictOnSeconds(const std::vector<double>& earlier, const std::vector<double>& later) {
  const SuiteComparison comparison = CompareSuites(Results(earlier), Results(later), {.measures = {"seconds"}});
  return comparison.measures.at(0).verdict;
}

TEST(MannWhitneyTest, IsExactForFewValues) {
  EXPECT_DOUBLE_EQ(ProbabilityOfHigher({1, 2, 3}, {4, 5, 6}), 1.0 / 20);
  EXPECT_DOUBLE_EQ(ProbabilityOfHigher({4, 5, 6}, {1, 2, 3}), 1);
  // Two of the 20 arrangements rank as high: {3,5,6} and {4,5,6}.
  EXPECT_DOUBLE_EQ(ProbabilityOfHigher({1, 2, 4}, {3, 5, 6}), 2.0 / 20);
  EXPECT_DOUBLE_EQ(ProbabilityOfHigher({1, 1, 1}, {1, 1, 1}), 1);
  EXPECT_DOUBLE_EQ(ProbabilityOfHigher({}, {1}), 1);
  EXPECT_DOUBLE_EQ(SmallestProbability(5, 5), 1.0 / 252);
}

TEST(MannWhitneyTest, ApproximationForManyValuesContinuesTheExactOne) {
  std::vector<double> earlier, later;
  for (int i = 0; i < 40; ++i) {
    earlier.push_back(i);
    later.push_back(i + 0.5);
  }
  const double near_half = ProbabilityOfHigher(earlier, later);
  EXPECT_GT(near_half, 0.35);
  EXPECT_LT(near_half, 0.5);
  for (double& value : later) value += 100;
  EXPECT_LT(ProbabilityOfHigher(earlier, later), 1e-10);
}

TEST(ComparisonTest, FindsWhatGotWorseOrBetter) {
  EXPECT_EQ(VerdictOnSeconds({1.0, 1.1, 1.05, 1.02, 1.08}, {2.0, 2.1, 2.05, 2.02, 2.08}), Verdict::kWorse);
  EXPECT_EQ(VerdictOnSeconds({2.0, 2.1, 2.05, 2.02, 2.08}, {1.0, 1.1, 1.05, 1.02, 1.08}), Verdict::kBetter);
}

TEST(ComparisonTest, IgnoresChangesThatMachinesMakeByThemselves) {
  EXPECT_EQ(VerdictOnSeconds({0.10, 0.11, 0.10, 0.11}, {0.15, 0.16, 0.15, 0.16}), Verdict::kSame);
  EXPECT_EQ(VerdictOnSeconds({0.10, 0.11, 0.10, 0.11}, {0.16, 0.17, 0.16, 0.17}), Verdict::kWorse);
}

TEST(ComparisonTest, IgnoresWhatIsWithinTheSpread) {
  EXPECT_EQ(VerdictOnSeconds({1.0, 1.1, 1.2, 1.3, 1.4}, {1.05, 1.15, 1.1, 1.35, 1.45}), Verdict::kSame);
  EXPECT_EQ(VerdictOnSeconds({1.0, 1.0, 1.0, 1.0, 1.0}, {1.0, 1.0, 1.0, 1.0, 1.0}), Verdict::kSame);
  // Ranks differ in all, but by less than the repeats of one run do.
  EXPECT_EQ(VerdictOnSeconds({1.0, 1.2, 2.0, 2.2}, {2.21, 2.22, 2.23, 2.6}), Verdict::kSame);
}

TEST(ComparisonTest, ReportsThatRepeatsAreTooFew) {
  EXPECT_EQ(VerdictOnSeconds({1, 1.1}, {9, 9.1}), Verdict::kTooFewRepeats);
  EXPECT_EQ(VerdictOnSeconds({1, 1.1, 1.2}, {9, 9.1, 9.2}), Verdict::kWorse);
}

TEST(ComparisonTest, CountsFailedAndMissingJobs) {
  SuiteResults later = Results({1, 1, 1});
  later.jobs[0].repeats[1].exit_code = 3;
  EXPECT_EQ(CompareSuites(Results({1, 1, 1}), later, {}).failures,
            (std::vector<std::string>{"sort, size 10: 1 of 3 repeats failed"}));
  later.jobs.clear();
  EXPECT_EQ(CompareSuites(Results({1, 1, 1}), later, {}).failures,
            (std::vector<std::string>{"sort, size 10: missing"}));
}

TEST(GrowthTest, FindsTheExponent) {
  SuiteResults results = Results({4, 4.01, 3.99}, 2);
  results.jobs.push_back(Results({16, 16.04, 15.96}, 4).jobs[0]);
  for (const Growth& growth : FitGrowth(results)) {
    if (growth.measure != "seconds") continue;
    EXPECT_NEAR(growth.exponent, 2, 0.01);
    EXPECT_GT(growth.error, 0);
    EXPECT_LT(growth.error, 0.01);
    return;
  }
  FAIL() << "no growth of seconds";
}

TEST(GrowthTest, NeedsTwoSizes) { EXPECT_TRUE(FitGrowth(Results({1, 2, 3})).empty()); }

TEST(SummaryTest, IsReadBackAsWritten) {
  SuiteResults results = Results({1.5, 2.5});
  results.suite = "nightly";
  results.status = "passed";
  results.jobs[0].repeats[0].maxima["jvm"] = {2, 99.5, 12345};
  const Result<SuiteResults> read = ParseSummary(SummaryJson(results), "summary.json");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(SummaryJson(*read), SummaryJson(results));
  EXPECT_EQ(read->jobs[0].repeats[0].maxima.at("jvm").max_rss_bytes, 12345);
  EXPECT_FALSE(ParseSummary("[1]", "x"));
  EXPECT_FALSE(ParseSummary(SummaryJson(results).substr(0, 100), "x"));
}

}  // namespace
}  // namespace sparkprof
