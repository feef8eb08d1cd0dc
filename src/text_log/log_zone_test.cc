// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_zone.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int64_t kHour = 3600 * kNanosPerSecond;
constexpr int64_t kSummer = 1'720'000'000 * kNanosPerSecond;  // 2024-07-03
constexpr int64_t kWinter = 1'705'000'000 * kNanosPerSecond;  // 2024-01-11

int64_t AheadOfUtc(const std::string& zone, int64_t local_ns) {
  const Result<LogZone> parsed = LogZone::Parse(zone);
  EXPECT_TRUE(parsed.has_value()) << zone;
  return parsed ? local_ns - parsed->ToUtc(local_ns) : INT64_MIN;
}

TEST(LogZone, DifferencesToUtcInEveryForm) {
  EXPECT_EQ(AheadOfUtc("", kSummer), 0);
  EXPECT_EQ(AheadOfUtc("UTC", kSummer), 0);
  EXPECT_EQ(AheadOfUtc("+2", kSummer), 2 * kHour);
  EXPECT_EQ(AheadOfUtc("+02:00", kSummer), 2 * kHour);
  EXPECT_EQ(AheadOfUtc("-0330", kSummer), -7 * kHour / 2);
  EXPECT_EQ(AheadOfUtc("+14", kSummer), 14 * kHour);
}

TEST(LogZone, NamesHaveSummerTime) {
  EXPECT_EQ(AheadOfUtc("Europe/Berlin", kSummer), 2 * kHour);
  EXPECT_EQ(AheadOfUtc("Europe/Berlin", kWinter), kHour);
  EXPECT_EQ(AheadOfUtc("America/New_York", kWinter), -5 * kHour);
  EXPECT_EQ(AheadOfUtc("Asia/Kathmandu", kWinter), 5 * kHour + 3 * kHour / 4);
}

TEST(LogZone, TheDifferenceChangesWithinALog) {
  const Result<LogZone> berlin = LogZone::Parse("Europe/Berlin");
  ASSERT_TRUE(berlin.has_value());
  // 2024-03-31, the clock goes from 02:00 to 03:00; milliseconds are kept.
  const int64_t two = 1'711'850'400 * kNanosPerSecond;
  EXPECT_EQ(berlin->ToUtc(two - 7 * kNanosPerMilli), two - 7 * kNanosPerMilli - kHour);
  EXPECT_EQ(berlin->ToUtc(two + kHour), two + kHour - 2 * kHour);
  EXPECT_EQ(berlin->ToUtc(two - kNanosPerMilli), two - kNanosPerMilli - kHour);
}

TEST(LogZone, WhatIsNoZoneIsAnErrorThatNamesIt) {
  for (const char* const text : {"Europe/Nowhere", "+15", "+02:0", "+2:00:00", "2", "file:/etc/passwd", "../localtime",
                                 "/etc/localtime", "+-2", "-"}) {
    const Result<LogZone> zone = LogZone::Parse(text);
    ASSERT_FALSE(zone.has_value()) << text;
    EXPECT_NE(zone.error().message.find(text), std::string::npos);
  }
}

}  // namespace
}  // namespace sparkprof
