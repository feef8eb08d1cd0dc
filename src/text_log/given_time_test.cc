// SPDX-License-Identifier: Apache-2.0
#include "text_log/given_time.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

TEST(GivenTimeTest, DurationsHaveAUnitOrAreSeconds) {
  EXPECT_EQ(ParseGivenTime("--from", "2h")->duration_ns, 7'200 * kNanosPerSecond);
  EXPECT_EQ(ParseGivenTime("--from", "12.5s")->duration_ns, 12'500 * kNanosPerMilli);
  EXPECT_EQ(ParseGivenTime("--from", "90")->duration_ns, 90 * kNanosPerSecond);
}

TEST(GivenTimeTest, DatesAreDaysMinutesOrSecondsWithAndWithoutAZone) {
  const int64_t nine = *ParseTimestamp("2026-11-25T09:00:00Z");
  EXPECT_EQ(ParseGivenTime("--from", "2026-11-25T10:00+01:00")->ToUtc(), nine);
  EXPECT_EQ(ParseGivenTime("--from", "2026-11-25T10:00:00+01:00")->ToUtc(), nine);
  EXPECT_EQ(ParseGivenTime("--from", "2026-11-25 09:00:00Z")->ToUtc(), nine);
  const GivenTime day = *ParseGivenTime("--from", "2026-11-25");
  EXPECT_FALSE(day.duration_ns);
  EXPECT_FALSE(day.time.has_zone);
  EXPECT_EQ(day.time.time_ns, *ParseTimestamp("2026-11-25T00:00:00Z"));
  EXPECT_EQ(ParseGivenTime("--from", "11:59", true)->time.missing, MissingDate::kDate);
  EXPECT_FALSE(ParseGivenTime("--from", "11:59"));
}

TEST(GivenTimeTest, LargeNumbersAreSecondsOrMillisecondsSinceTheEpoch) {
  EXPECT_EQ(ParseGivenTime("--from", "1700000000")->ToUtc(), 1'700'000'000 * kNanosPerSecond);
  EXPECT_EQ(ParseGivenTime("--from", "1700000000000")->ToUtc(), 1'700'000'000 * kNanosPerSecond);
}

TEST(GivenTimeTest, OtherTextsAreErrorsThatNameTheOption) {
  for (const char* const text : {"", "yesterday", "2026-13-45", "10 apples", "2026-11-25T10:00+"}) {
    const Result<GivenTime> time = ParseGivenTime("--from", text);
    ASSERT_FALSE(time) << text;
    EXPECT_TRUE(time.error().message.starts_with("--from: invalid time")) << time.error().message;
  }
}

}  // namespace
}  // namespace sparkprof
