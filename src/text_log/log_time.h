// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "text_log/log_zone.h"

namespace sparkprof {

inline constexpr int64_t kDaySeconds = 86'400;

enum class MissingDate : uint8_t { kNone, kYear, kDate };

// A moment as a log writes it.
struct LogTime {
  size_t size = 0;                           // text length; 0 = none
  int64_t time_ns = 0;                       // since the Unix epoch; without a zone as if the zone were UTC
  bool has_zone = false;                     // the text contains the zone
  bool is_exact = false;                     // milliseconds or better
  MissingDate missing = MissingDate::kNone;  // kDate: time_ns is the time of day; kYear: it is in 1972
};

// The order of the numbers of a date such as 03/04/25, which their sizes do not show.
enum class DateOrder : uint8_t { kYearMonthDay, kDayMonthYear, kMonthDayYear };
inline constexpr size_t kDateOrderCount = 3;

// Parses the time at the start of a text, without a list of formats: a date is two or three numbers, one of them
// perhaps the name of a month, in an order that their sizes, ranges and separators decide, or eight digits; before or
// after it may be the name of a day, after it comes the time of day, which also counts alone. A fraction after '.', ','
// or ':', AM or PM, and a zone may follow: Z, +hh:mm, +hhmm, +hh, an abbreviation (CET), or a name (Europe/Berlin).
// Abbreviations with several meanings (CST, IST, BST) do not count as a zone. A number of 10, 13, 16 or 19 digits that
// something follows is the time since the Unix epoch. Tries the order of the last ambiguous date first, and is fastest
// for a date that repeats. Not thread-safe.
class LogTimeParser {
 public:
  LogTimeParser() = default;
  explicit LogTimeParser(DateOrder order) : order_(order) {}

  LogTime Parse(std::string_view text);

  // The orders in which the date at the start of the text is valid, as bits; 0 for other texts and dates with names.
  static uint8_t OrdersOf(std::string_view text);

  // Milliseconds, microseconds or nanoseconds since the epoch by the size of the number, or seconds with a fraction; 0
  // if it is not between the years 2010 and 2255.
  static int64_t EpochNanos(double number);

 private:
  static bool ParseEpoch(std::string_view text, LogTime* time);
  bool ParseOnKnownDay(std::string_view text, LogTime* time);
  void ParseYearBehind(std::string_view text, LogTime* time) const;
  bool ParseClock(std::string_view text, size_t at, LogTime* time);
  void ParseZone(std::string_view text, LogTime* time);
  bool ParseZoneName(std::string_view name, LogTime* time);

  std::optional<DateOrder> order_;
  char date_text_[32] = {};  // the previous line's date, up to its time of day, if its day is known
  size_t date_size_ = 0;
  int64_t date_seconds_ = 0;
  MissingDate date_missing_ = MissingDate::kDate;
  std::string zone_name_;  // zone of the previous line
  LogZone zone_;
};

}  // namespace sparkprof
