// SPDX-License-Identifier: Apache-2.0
#include "base/text/text.h"

#include <gtest/gtest.h>

#include "base/text/escaped_text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

TEST(TextTest, SplitKeepsEmptyParts) {
  EXPECT_EQ(Split("a,,b", ','), (std::vector<std::string_view>{"a", "", "b"}));
  EXPECT_EQ(Split("", ','), (std::vector<std::string_view>{""}));
}

TEST(TextTest, TheLongestEndingCounts) {
  EXPECT_EQ(LongestEnding("x.speedscope.json", ".json .speedscope.json"), 16u);
  EXPECT_EQ(LongestEnding("x.json", ".json .speedscope.json"), 5u);
  EXPECT_EQ(LongestEnding(".json", ".json"), 0u);
  EXPECT_EQ(LongestEnding("x.svg", ".json"), 0u);
  EXPECT_EQ(LongestEnding("x", ""), 0u);
}

TEST(TextTest, FormatsNumbersForPeople) {
  EXPECT_EQ(FormatDuration(1'234'567'890), "1.2 s");
  EXPECT_EQ(FormatDuration(340'000'000), "340 ms");
  EXPECT_EQ(FormatBytes(340LL * 1024 * 1024), "340 MiB");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatShare(0.1236), "12.4%");
}

TEST(TextTest, ANumberIsNeverRoundedToAWholeLargerUnit) {
  EXPECT_EQ(FormatDuration(999), "999 ns");
  EXPECT_EQ(FormatDuration(999'499), "999 us");
  EXPECT_EQ(FormatDuration(999'500), "1 ms");
  EXPECT_EQ(FormatDuration(999'499'999), "999 ms");
  EXPECT_EQ(FormatDuration(-999'500'000), "-1.0 s");
  EXPECT_EQ(FormatDuration(119'940'000'000), "119.9 s");
  EXPECT_EQ(FormatDuration(119'950'000'000), "2.0 min");
  EXPECT_EQ(FormatDuration(3'596'000'000'000), "59.9 min");
  EXPECT_EQ(FormatDuration(3'599'000'000'000), "1.0 h");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1'023 * 1024), "1023 KiB");
  EXPECT_EQ(FormatBytes(1024 * 1024 - 1), "1.0 MiB");
  EXPECT_EQ(FormatBytes(100 * 1024 - 1), "100 KiB");
}

TEST(TextTest, ReplacesWhatIsNotUtf8) {
  EXPECT_TRUE(IsUtf8("gr\xC3\xBC\xC3\x9F"));
  EXPECT_FALSE(IsUtf8("\xC0\xAF"));      // overlong
  EXPECT_FALSE(IsUtf8("\xED\xA0\x80"));  // surrogate
  EXPECT_EQ(ToUtf8("a\xFFz"), "a\xEF\xBF\xBDz");
  EXPECT_EQ(ToUtf8("twelve bytes \xFF and twelve more"), "twelve bytes \xEF\xBF\xBD and twelve more");
  EXPECT_FALSE(IsUtf8("the ninth and later \xFF bytes"));
  EXPECT_EQ(ToOneLine("a\n\tb\x1B\xC3\xBC"), "a\xEF\xBF\xBD b\xEF\xBF\xBD\xC3\xBC");
  for (const std::string_view control : {"\x1b", "\x7f", "\r", "\x07", "\xc2\x9b", "\xe2\x80\xae", "\xe2\x81\xa6",
                                         "\xd8\x9c", "\xff", "\xe2\x80\x8b", "\xef\xbb\xbf", "\xf3\xa0\x81\x81"}) {
    EXPECT_EQ(ForTerminal("a\n\t" + std::string(control) + "b\xC3\xBC\xC2\xA0\xE2\x82\xAC"),
              "a\n\t\xEF\xBF\xBD"
              "b\xC3\xBC\xC2\xA0\xE2\x82\xAC");
  }
  EXPECT_EQ(ForTerminal("zero-width joiner \xe2\x80\x8d, \xef\xbb\xbb"),
            "zero-width joiner \xe2\x80\x8d, \xef\xbb\xbb");
}

TEST(TextTest, EncodesBase64WithPadding) {
  EXPECT_EQ(Base64Encode(""), "");
  EXPECT_EQ(Base64Encode("f"), "Zg==");
  EXPECT_EQ(Base64Encode("fo"), "Zm8=");
  EXPECT_EQ(Base64Encode("foobar"), "Zm9vYmFy");
}

TEST(TextTest, DecodesBase64WithAndWithoutPadding) {
  for (const char* text : {"", "f", "fo", "foo", "foob", "fooba", "foobar", "\xFF\xFE\xFB"}) {
    EXPECT_EQ(Base64Decode(Base64Encode(text)), text);
  }
  EXPECT_EQ(Base64Decode("Zm8"), "fo");
  EXPECT_EQ(Base64Decode("Zm9v YmFy"), std::nullopt);
}

TEST(TimeTest, FormatsTimestampsInUtc) {
  EXPECT_EQ(FormatTimestamp(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(FormatTimestamp(1'763'730'231'487'000'000), "2025-11-21T13:03:51.487Z");
}

TEST(TextTest, CutsBetweenCharacters) {
  EXPECT_EQ(CutUtf8("héllo", 2), "h");
  EXPECT_EQ(CutUtf8("héllo", 3), "hé");
  EXPECT_EQ(CutUtf8("héllo", 99), "héllo");
  EXPECT_EQ(Shorten("héllo", 2), "h…");
  EXPECT_EQ(Shorten("héllo", 6), "héllo");
}

}  // namespace
}  // namespace sparkprof
