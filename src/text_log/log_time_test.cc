// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_time.h"

#include <gtest/gtest.h>

#include <string>

#include "base/time.h"

namespace sparkprof {
namespace {

// "TIME size zone exact", with "-" for what is not so; "none" if the text has no time.
std::string Parsed(LogTimeParser* parser, const std::string& text) {
  const LogTime time = parser->Parse(text);
  if (time.size == 0) return "none";
  const int64_t below_millis = time.time_ns % kNanosPerMilli;
  return FormatTimestamp(time.time_ns) + (below_millis != 0 ? "+" + std::to_string(below_millis) : "") + " " +
         std::to_string(time.size) + (time.has_zone ? " zone" : " -") + (time.is_exact ? " exact" : " -");
}

std::string Parsed(const std::string& text) {
  LogTimeParser parser;
  return Parsed(&parser, text);
}

TEST(LogTimeParserTest, EveryOrderOfTheDate) {
  EXPECT_EQ(Parsed("17/06/09 20:10:45 "), "2017-06-09T20:10:45.000Z 17 - -");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45 "), "2017-06-09T20:10:45.000Z 19 - -");
  EXPECT_EQ(Parsed("2017-06-09T20:10:45 "), "2017-06-09T20:10:45.000Z 19 - -");
  EXPECT_EQ(Parsed("2017/06/09 20:10:45 "), "2017-06-09T20:10:45.000Z 19 - -");
  EXPECT_EQ(Parsed("17-06-09 20:10:45 "), "2017-06-09T20:10:45.000Z 17 - -");
  EXPECT_EQ(Parsed("12/31/24 20:10:45 "), "2024-12-31T20:10:45.000Z 17 - -");
  EXPECT_EQ(Parsed("09/06/2017 20:10:45 "), "2017-06-09T20:10:45.000Z 19 - -");
  EXPECT_EQ(Parsed("06/13/2017 20:10:45 "), "2017-06-13T20:10:45.000Z 19 - -");
  EXPECT_EQ(Parsed("09-Jun-2017 20:10:45 "), "2017-06-09T20:10:45.000Z 20 - -");
  EXPECT_EQ(Parsed("09 Dec 2017 20:10:45 "), "2017-12-09T20:10:45.000Z 20 - -");
  EXPECT_EQ(Parsed("Jan.09/2017 20:10:45 "), "2017-01-09T20:10:45.000Z 20 - -");
  EXPECT_EQ(Parsed("2017.06.09 20:10:45 "), "2017-06-09T20:10:45.000Z 19 - -");
  EXPECT_EQ(Parsed("20170609 20:10:45 "), "2017-06-09T20:10:45.000Z 17 - -");
  EXPECT_EQ(Parsed("20:10:45 "), "1970-01-01T20:10:45.000Z 8 - -");
  EXPECT_EQ(Parsed("1550420474101 INFO"), "2019-02-17T16:21:14.101Z 13 zone exact");
  EXPECT_EQ(Parsed("1550420474 INFO"), "2019-02-17T16:21:14.000Z 10 zone -");
  EXPECT_EQ(Parsed("1550420474101250000 INFO"), "2019-02-17T16:21:14.101Z+250000 19 zone exact");
  EXPECT_EQ(Parsed("20170609201045 "), "2017-06-09T20:10:45.000Z 14 - -");
  EXPECT_EQ(Parsed("20170609-201045.5 "), "2017-06-09T20:10:45.500Z 17 - exact");
  EXPECT_EQ(Parsed("28/Nov/2026:07:00:01 +0000"), "2026-11-28T07:00:01.000Z 26 zone -");
  EXPECT_EQ(Parsed("Sat, 28 Nov 2026 07:00:01 +0000"), "2026-11-28T07:00:01.000Z 31 zone -");
  EXPECT_EQ(Parsed("Sat Nov 28 07:00:01 UTC 2026 x"), "2026-11-28T07:00:01.000Z 28 zone -");
  EXPECT_EQ(Parsed("28. März 2026 07:00:01 x"), "2026-03-28T07:00:01.000Z 23 - -");
  EXPECT_EQ(Parsed("28 déc. 2026 07:00:01 x"), "2026-12-28T07:00:01.000Z 22 - -");
  EXPECT_EQ(Parsed("Nov  8 07:00:01 x"), "1972-11-08T07:00:01.000Z 15 - -");
  EXPECT_EQ(Parsed("2026-11-28 @ 07:00:01:250 x"), "2026-11-28T07:00:01.250Z 25 - exact");
}

TEST(LogTimeParserTest, TheTimeMayEndTheText) {
  EXPECT_EQ(Parsed("17/06/09 20:10:45"), "2017-06-09T20:10:45.000Z 17 - -");
  EXPECT_EQ(Parsed("17/06/09 20:10:45.123"), "2017-06-09T20:10:45.123Z 21 - exact");
  EXPECT_EQ(Parsed("17/06/09 20:10:45."), "2017-06-09T20:10:45.000Z 17 - -");
  EXPECT_EQ(Parsed("17/06/09 20:10:45Z"), "2017-06-09T20:10:45.000Z 18 zone -");
  EXPECT_EQ(Parsed("17/06/09 20:10:45+02:00"), "2017-06-09T18:10:45.000Z 23 zone -");
}

TEST(LogTimeParserTest, FractionsOfAnyLength) {
  EXPECT_EQ(Parsed("2017-06-09 20:10:45,5 "), "2017-06-09T20:10:45.500Z 21 - exact");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45.123456789 "), "2017-06-09T20:10:45.123Z+456789 29 - exact");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45.1234567891 "), "2017-06-09T20:10:45.123Z+456789 30 - exact");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45;5 "), "2017-06-09T20:10:45.000Z 19 - -");
}

TEST(LogTimeParserTest, ZonesInEveryForm) {
  EXPECT_EQ(Parsed("2017-06-09T20:10:45Z INFO"), "2017-06-09T20:10:45.000Z 20 zone -");
  EXPECT_EQ(Parsed("2017-06-09T20:10:45.5+02:30 INFO"), "2017-06-09T17:40:45.500Z 27 zone exact");
  EXPECT_EQ(Parsed("2017-06-09T20:10:45-0800 INFO"), "2017-06-10T04:10:45.000Z 24 zone -");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45 +0100 INFO"), "2017-06-09T19:10:45.000Z 25 zone -");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45 UTC INFO"), "2017-06-09T20:10:45.000Z 23 zone -");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45 GMT INFO"), "2017-06-09T20:10:45.000Z 23 zone -");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45+18:59 "), "2017-06-09T01:11:45.000Z 25 zone -");
  EXPECT_EQ(Parsed("2017-06-09 20:10:45-03 "), "2017-06-09T23:10:45.000Z 22 zone -");
  EXPECT_EQ(Parsed("2017-06-09T20:10:45+02:00[Europe/Berlin] "), "2017-06-09T18:10:45.000Z 40 zone -");
}

TEST(LogTimeParserTest, NamesOfZones) {
  EXPECT_EQ(Parsed("2024-01-15 11:59:52 CET INFO"), "2024-01-15T10:59:52.000Z 23 zone -");
  EXPECT_EQ(Parsed("15.07.2024 11:59:52 CEST INFO"), "2024-07-15T09:59:52.000Z 24 zone -");
  EXPECT_EQ(Parsed("2024-01-15 11:59:52.5 PST INFO"), "2024-01-15T19:59:52.500Z 25 zone exact");
  EXPECT_EQ(Parsed("2024-07-15 11:59:52 Europe/Berlin INFO"), "2024-07-15T09:59:52.000Z 33 zone -");
  EXPECT_EQ(Parsed("2024-01-15 11:59:52 CST INFO"), "2024-01-15T11:59:52.000Z 23 - -") << "of America or of China";
  EXPECT_EQ(Parsed("2024-01-15 11:59:52 INFO x"), "2024-01-15T11:59:52.000Z 19 - -");
  EXPECT_EQ(Parsed("2024-01-15 11:59:52 Europe/Nowhere x"), "2024-01-15T11:59:52.000Z 19 - -");
}

TEST(LogTimeParserTest, HalvesOfTheDay) {
  EXPECT_EQ(Parsed("2024-01-15 12:00:00 AM x"), "2024-01-15T00:00:00.000Z 22 - -");
  EXPECT_EQ(Parsed("2024-01-15 12:00:00 PM x"), "2024-01-15T12:00:00.000Z 22 - -");
  EXPECT_EQ(Parsed("2024-01-15 11:59:59.25 pm x"), "2024-01-15T23:59:59.250Z 25 - exact");
  EXPECT_EQ(Parsed("1/5/2024 1:02:03 PM x"), "2024-01-05T13:02:03.000Z 19 - -");
  EXPECT_EQ(Parsed("Jan 15, 2024 01:02:03 PM UTC x"), "2024-01-15T13:02:03.000Z 28 zone -");
  EXPECT_EQ(Parsed("2024-01-15 13:00:00 PM x"), "2024-01-15T13:00:00.000Z 19 - -") << "no hour of half a day";
  EXPECT_EQ(Parsed("1/5/2024, 1:02:03 p.m. x"), "2024-01-05T13:02:03.000Z 22 - -");
  EXPECT_EQ(Parsed("2024-01-15 1:02:03 x"), "2024-01-15T01:02:03.000Z 18 - -");
  EXPECT_EQ(Parsed("1:02:03 x"), "none") << "perhaps a duration";
}

TEST(LogTimeParserTest, OtherTextsBehindATimeAreNoZone) {
  for (const char* const text : {" -> x", "+19:00", "+02:60", "+2:00", "-", " - INFO", "+02:", " UTCx"}) {
    EXPECT_EQ(Parsed("2017-06-09 20:10:45" + std::string(text)), "2017-06-09T20:10:45.000Z 19 - -") << text;
  }
}

TEST(LogTimeParserTest, FieldsOutOfRangeAreNoTime) {
  for (const char* const text : {"2017-00-09 20:10:45",
                                 "2017-13-09 20:10:45",
                                 "2017-06-00 20:10:45",
                                 "2017-06-32 20:10:45",
                                 "2017-06-09 24:10:45",
                                 "2017-06-09 20:60:45",
                                 "2017-06-09 20:10:61",
                                 "1969-06-09 20:10:45",
                                 "2201-06-09 20:10:45",
                                 "2017-06-09 2a:10:45",
                                 "2017-06-09 20:1a:45",
                                 "2017-06-09 20:10:4a",
                                 "2017-06-09x20:10:45",
                                 "2017-06-09 20-10-45",
                                 "2017-06-09 20:10",
                                 "2017-06-09",
                                 "2017_06_09 20:10:45",
                                 "09-Xxx-2017 20:10:45",
                                 "09-anF-2017 20:10:45",
                                 "155042047410 x",
                                 "1550420474101",
                                 "1550420474101x",
                                 "2550420474101 x",
                                 "15504204741a1 x",
                                 "",
                                 "x"}) {
    EXPECT_EQ(Parsed(text), "none") << text;
  }
}

TEST(LogTimeParserTest, TheEndsOfEachRangeAreTimes) {
  EXPECT_EQ(Parsed("2017-01-01 00:00:00"), "2017-01-01T00:00:00.000Z 19 - -");
  EXPECT_EQ(Parsed("2017-12-31 23:59:60"), "2018-01-01T00:00:00.000Z 19 - -");
  EXPECT_EQ(Parsed("1970-01-01 00:00:01"), "1970-01-01T00:00:01.000Z 19 - -");
  EXPECT_EQ(Parsed("2200-12-31 00:00:00"), "2200-12-31T00:00:00.000Z 19 - -");
}

TEST(LogTimeParserTest, TheCalendarHasLeapYears) {
  EXPECT_EQ(Parsed("2000-02-29 00:00:00"), "2000-02-29T00:00:00.000Z 19 - -");
  EXPECT_EQ(Parsed("1972-12-31 00:00:00"), "1972-12-31T00:00:00.000Z 19 - -");
  EXPECT_EQ(Parsed("2100-03-01 00:00:00"), "2100-03-01T00:00:00.000Z 19 - -");
  EXPECT_EQ(Parsed("1999-03-01 00:00:00"), "1999-03-01T00:00:00.000Z 19 - -");
}

TEST(LogTimeParserTest, ALayoutIsKeptUntilAnotherMatches) {
  LogTimeParser parser;
  EXPECT_EQ(Parsed(&parser, "12/31/24 10:00:00 "), "2024-12-31T10:00:00.000Z 17 - -");
  EXPECT_EQ(Parsed(&parser, "11/10/24 10:00:00 "), "2024-11-10T10:00:00.000Z 17 - -") << "still month first";
  EXPECT_EQ(Parsed(&parser, "no time"), "none");
  EXPECT_EQ(Parsed(&parser, "11/10/24 10:00:01 "), "2024-11-10T10:00:01.000Z 17 - -") << "after a line without a time";
  EXPECT_EQ(Parsed(&parser, "2024-01-02 10:00:00 "), "2024-01-02T10:00:00.000Z 19 - -");
  EXPECT_EQ(Parsed(&parser, "24/01/03 10:00:00 "), "2024-01-03T10:00:00.000Z 17 - -");
}

TEST(LogTimeParserTest, TheSameDayAgainIsTheSameDay) {
  LogTimeParser parser;
  for (const char* const date : {"2024-02-29", "2024-02-28", "2024-02-29"}) {
    for (const char* const time : {"00:00:00", "23:59:59", "10:11:12"}) {
      EXPECT_EQ(Parsed(&parser, std::string(date) + " " + time), std::string(date) + "T" + time + ".000Z 19 - -");
    }
  }
  EXPECT_EQ(Parsed(&parser, "2024-02-29"), "none");
  EXPECT_EQ(Parsed(&parser, "2024-02-29x10:11:12"), "none");
  EXPECT_EQ(Parsed(&parser, "10:11:12 "), "1970-01-01T10:11:12.000Z 8 - -");
  EXPECT_EQ(Parsed(&parser, "2024-02-29 10:11:13"), "2024-02-29T10:11:13.000Z 19 - -");
}

}  // namespace
}  // namespace sparkprof
