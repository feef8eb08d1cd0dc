// SPDX-License-Identifier: Apache-2.0
#include "text_log/missing_dates.h"

#include <gtest/gtest.h>

#include "base/time.h"

namespace sparkprof {
namespace {

LogTime Parsed(std::string_view text) { return LogTimeParser().Parse(text); }

int64_t Moment(std::string_view text) { return Parsed(text).time_ns; }

std::string TextOf(int64_t time_ns) { return FormatTimestamp(time_ns); }

TEST(MissingDatesTest, TheFirstTimeOfDayIsTheLastOneBeforeTheLogsLastChange) {
  const int64_t changed_ns = Moment("2026-11-24 09:00:00");
  EXPECT_EQ(TextOf(MissingDates({}, changed_ns).ToUtc(Parsed("08:59:59"))), "2026-11-24T08:59:59.000Z");
  EXPECT_EQ(TextOf(MissingDates({}, changed_ns).ToUtc(Parsed("09:00:00"))), "2026-11-24T09:00:00.000Z");
  EXPECT_EQ(TextOf(MissingDates({}, changed_ns).ToUtc(Parsed("09:00:01"))), "2026-11-23T09:00:01.000Z");
}

TEST(MissingDatesTest, ALogPassesMidnightInBothDirections) {
  MissingDates dates({}, Moment("2026-11-24 09:00:00"));
  EXPECT_EQ(TextOf(dates.ToUtc(Parsed("23:59:59"))), "2026-11-23T23:59:59.000Z");
  EXPECT_EQ(TextOf(dates.ToUtc(Parsed("00:00:01"))), "2026-11-24T00:00:01.000Z");
  EXPECT_EQ(TextOf(dates.ToUtc(Parsed("23:59:58"))), "2026-11-23T23:59:58.000Z");
  EXPECT_EQ(dates.Assumed(), "the date of the file's last change");
}

TEST(MissingDatesTest, ATimeOfDayIsOfTheDayOfTheLinesAroundIt) {
  MissingDates dates({}, Moment("2026-11-24 09:00:00"));
  EXPECT_EQ(TextOf(dates.ToUtc(Parsed("2020-02-28 23:00:00"))), "2020-02-28T23:00:00.000Z");
  EXPECT_EQ(TextOf(dates.ToUtc(Parsed("01:00:00"))), "2020-02-29T01:00:00.000Z");
  EXPECT_EQ(dates.Assumed(), "");
}

TEST(MissingDatesTest, TheZoneShiftsTheDay) {
  // 01:30 in Berlin is half past midnight in UTC.
  const LogZone berlin = LogZone::Ahead(3600 * kNanosPerSecond);
  EXPECT_EQ(TextOf(MissingDates(berlin, Moment("2026-11-24 00:40:00")).ToUtc(Parsed("01:30:00"))),
            "2026-11-24T00:30:00.000Z");
  EXPECT_EQ(TextOf(MissingDates(berlin, Moment("2026-11-24 00:20:00")).ToUtc(Parsed("01:30:00"))),
            "2026-11-23T00:30:00.000Z");
}

TEST(MissingDatesTest, TheDayOfTheLogsNameIsThatOfItsFirstTime) {
  for (const char* const name :
       {"log4j-2026-11-20-07.log.gz", "logs/20261120/driver.log", "x!stderr--2026-11-20--07-00"}) {
    MissingDates dates({}, Moment("2026-11-24 09:00:00"), DayOfName(name));
    EXPECT_EQ(TextOf(dates.ToUtc(Parsed("23:59:59"))), "2026-11-20T23:59:59.000Z") << name;
    EXPECT_EQ(TextOf(dates.ToUtc(Parsed("00:00:01"))), "2026-11-21T00:00:01.000Z");
    EXPECT_EQ(dates.Assumed(), "the date in its name");
  }
  for (const char* const name : {"driver.log", "application_1790000000000_0042/stderr", "app-20261120070000-0001",
                                 "20.26.11.20", "2026-13-20.log", "x2026-11-20.log"}) {
    EXPECT_EQ(DayOfName(name), 0) << name;
  }
}

TEST(MissingDatesTest, ATimeWithoutAYearIsTheLastOneBeforeTheLogsLastChange) {
  LogTime leap_day = Parsed("1972-02-29 10:00:00");
  leap_day.missing = MissingDate::kYear;
  EXPECT_EQ(TextOf(MissingDates({}, Moment("2024-03-01 09:00:00")).ToUtc(leap_day)), "2024-02-29T10:00:00.000Z");
  LogTime december = Parsed("1972-12-31 23:59:59");
  december.missing = MissingDate::kYear;
  MissingDates dates({}, Moment("2024-03-01 09:00:00"));
  EXPECT_EQ(TextOf(dates.ToUtc(december)), "2023-12-31T23:59:59.000Z");
  LogTime january = Parsed("1972-01-01 00:00:01");
  january.missing = MissingDate::kYear;
  EXPECT_EQ(TextOf(dates.ToUtc(january)), "2024-01-01T00:00:01.000Z");
}

TEST(MissingDatesTest, WithoutAnyDateTimesCountFromTheEpoch) {
  MissingDates dates({}, 0);
  EXPECT_EQ(TextOf(dates.ToUtc(Parsed("10:00:00"))), "1970-01-01T10:00:00.000Z");
  EXPECT_EQ(dates.Assumed(), "");
}

}  // namespace
}  // namespace sparkprof
