// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr int64_t kMillis = 1'000'000, kSeconds = 1000 * kMillis;

TEST(DurationRange, HasOneUnitAndTwoDigitsWhereTheyAreEnough) {
  EXPECT_EQ(FormatDurationRange(5'700 * kMillis, 8'310 * kMillis), "5.7–8.3 s");
  EXPECT_EQ(FormatDurationRange(789 * kMillis, 2'100 * kMillis), "0.8–2.1 s");
  EXPECT_EQ(FormatDurationRange(9'960 * kMillis, 116'700 * kMillis), "10–117 s");
  EXPECT_EQ(FormatDurationRange(247 * kMillis, 459 * kMillis), "247–459 ms");
  EXPECT_EQ(FormatDurationRange(90 * kSeconds, 25 * 60 * kSeconds), "1.5–25 min");
  EXPECT_EQ(FormatDurationRange(1800 * kSeconds, 7200 * kSeconds), "0.5–2.0 h");
}

TEST(DurationRange, ThatBeginsAtNothingNamesItsEnd) {
  EXPECT_EQ(FormatDurationRange(0, 19'200 * kMillis), "up to 19.2 s");
  EXPECT_EQ(FormatDurationRange(10 * kMillis, 2 * kSeconds), "up to 2.0 s");
}

TEST(DurationRange, WithoutVisibleWidthIsADuration) {
  EXPECT_EQ(FormatDurationRange(19'600 * kMillis, 19'900 * kMillis), "19.9 s");
  EXPECT_EQ(FormatDurationRange(0, 0), "0 ns");
  EXPECT_EQ(FormatDurationRange(100, 200'000), "200 us");
}

}  // namespace
}  // namespace sparkprof
