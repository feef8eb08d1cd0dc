// SPDX-License-Identifier: Apache-2.0
#include "server/upkeep/retention.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kDay = 86'400 * kNanosPerSecond;

std::string Expired(const RetentionOptions& options, int64_t bytes) {
  const std::vector<RetainedApplication> ended{
      {"b", 3 * kDay, 100, {}}, {"a", 1 * kDay, 100, {}}, {"c", 9 * kDay, 100, {}}};
  std::string ids;
  for (const RetainedApplication& application : ExpiredApplications(options, ended, bytes, 10 * kDay)) {
    ids += application.id;
  }
  return ids;
}

TEST(RetentionTest, RemovesWhatIsTooOld) {
  EXPECT_EQ(Expired({.remove_after_ns = 5 * kDay}, 300), "ab");
  EXPECT_EQ(Expired({.remove_after_ns = 50 * kDay}, 300), "");
}

TEST(RetentionTest, RemovesTheOldestBeyondASize) {
  EXPECT_EQ(Expired({.max_bytes = 300}, 300), "");
  EXPECT_EQ(Expired({.max_bytes = 299}, 300), "a");
  EXPECT_EQ(Expired({.max_bytes = 100}, 300), "ab");
  EXPECT_EQ(Expired({.max_bytes = 100}, 1000), "abc");
}

TEST(RetentionTest, RemovesNothingUnlessTold) { EXPECT_EQ(Expired({}, 300), ""); }

TEST(RetentionTest, AClockThatWentBackRemovesNothing) {
  EXPECT_TRUE(ExpiredApplications({.remove_after_ns = kDay}, {{"a", 10 * kDay, 1, {}}}, 1, kDay).empty());
}

TEST(RetentionTest, SamplesBecomeCoarserInTwoSteps) {
  const RetentionOptions options{.coarsen_after_ns = 7 * kDay};
  EXPECT_EQ(CoarseBucket(options, 6 * kDay), 0);
  EXPECT_EQ(CoarseBucket(options, 7 * kDay), 10 * kNanosPerSecond);
  EXPECT_EQ(CoarseBucket(options, 28 * kDay), 60 * kNanosPerSecond);
  EXPECT_EQ(CoarseBucket({}, 28 * kDay), 0);
  EXPECT_EQ(CoarseBucket(options, -kDay), 0);
}

}  // namespace
}  // namespace sparkprof
