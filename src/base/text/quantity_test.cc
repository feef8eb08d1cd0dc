// SPDX-License-Identifier: Apache-2.0
#include "base/text/quantity.h"

#include <gtest/gtest.h>

#include <limits>

namespace sparkprof {
namespace {

TEST(QuantityTest, ParsesDurationsWithUnits) {
  EXPECT_EQ(ParseDuration("10ms").value(), 10'000'000);
  EXPECT_EQ(ParseDuration("1.5s").value(), 1'500'000'000);
  EXPECT_EQ(ParseDuration("0s").value(), 0);
  EXPECT_EQ(ParseDuration(" 2 H ").value(), 7'200'000'000'000);
  EXPECT_EQ(ParseDuration("9223372036854775807ns").value(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(ParseDuration("50").error().message, "has no unit; use ns, us, ms, s, m, h or d, for instance 10ms");
  EXPECT_EQ(ParseDuration("9223372036854775808ns").error().message, "is too large");
  for (const char* text : {"", "fast", "-1ms", "+1ms", ".5s", "1.s", "1e3ms", "0x10ms", "1,5s", "10 m s"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

TEST(QuantityTest, ABareNumberMayCountAsSeconds) {
  EXPECT_EQ(ParseDurationOrSeconds(" 12.5 ").value(), 12'500'000'000);
  EXPECT_EQ(ParseDurationOrSeconds("30ms").value(), 30'000'000);
  EXPECT_EQ(ParseDurationOrSeconds("99999999999").error().message, "is too large");
  EXPECT_FALSE(ParseDurationOrSeconds("soon"));
}

TEST(QuantityTest, RoundsFractionsDownHoweverLongTheyAre) {
  EXPECT_EQ(ParseDuration("1.9ns").value(), 1);
  EXPECT_EQ(ParseDuration("0." + std::string(400, '9') + "d").value(), 86'399'999'999'999);
  EXPECT_EQ(ParseBytes("1.001k").value(), 1025);
}

TEST(QuantityTest, ParsesBytesWithUnits) {
  EXPECT_EQ(ParseBytes("512k").value(), 524'288);
  EXPECT_EQ(ParseBytes("1.5MiB").value(), 1'572'864);
  EXPECT_EQ(ParseBytes("4096").value(), 4'096);
  EXPECT_EQ(ParseBytes("12 parsecs").error().message, "has an unknown unit; use none, k, m, g or t, for instance 512k");
}

TEST(QuantityTest, ParsesSharesUpToExactlyOne) {
  EXPECT_EQ(ParseBillionths("0.25").value(), 250'000'000);
  EXPECT_EQ(ParseBillionths("01.000000000000").value(), 1'000'000'000);
  EXPECT_FALSE(ParseBillionths("1.0000000000001"));
  EXPECT_FALSE(ParseBillionths("25%"));
}

TEST(QuantityTest, WritesTextsThatAreReadBack) {
  EXPECT_EQ(DurationText(10'000'000), "10ms");
  EXPECT_EQ(DurationText(90'000'000'000), "90s");
  EXPECT_EQ(BytesText(2 << 20), "2MiB");
  for (const int64_t value : {int64_t{1}, int64_t{1'500}, int64_t{60'000'000'000}, int64_t{7} << 40}) {
    EXPECT_EQ(ParseDuration(DurationText(value)).value(), value);
    EXPECT_EQ(ParseBytes(BytesText(value)).value(), value);
  }
}

TEST(QuantityTest, ARefusalNamesOptionAndText) {
  EXPECT_EQ(Refusal("--x", "5\n", Error{"is odd"}), "--x: \"5\xEF\xBF\xBD\" is odd");
}

}  // namespace
}  // namespace sparkprof
