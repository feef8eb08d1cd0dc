// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_time.h"

#include <cctz/civil_time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <iterator>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

constexpr int kLeapYear = 1972;  // year of dates without one

// Reads `count` digits at `at`; -1 if they are not there.
int Digits(std::string_view text, size_t at, size_t count) {
  if (at + count > text.size()) return -1;
  int value = 0;
  for (size_t i = at; i < at + count; ++i) {
    if (!IsDigit(text[i])) return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

size_t CountDigits(std::string_view text, size_t at) {
  size_t count = 0;
  while (at + count < text.size() && IsDigit(text[at + count])) ++count;
  return count;
}

bool IsNameByte(char c) { return IsLetter(c) || (c & 0x80) != 0; }

size_t NameSize(std::string_view text, size_t at) {
  size_t size = 0;
  while (at + size < text.size() && IsNameByte(text[at + size])) ++size;
  return size;
}

// The month of a name that begins so in English, French, German, Italian, Portuguese or Spanish; 0 = none.
int MonthByName(std::string_view name) {
  constexpr std::string_view kMonths[] = {"jan ene gen", "feb fev fév fév", "mar mär mrz",  "apr avr abr",
                                          "may mai mag", "jun giu juin",    "jul lug juil", "aug ago aoû aou",
                                          "sep set",     "oct okt out ott", "nov",          "dec dez dic déc"};
  constexpr size_t kMaxName = 12;
  if (name.size() < 3 || name.size() > kMaxName) return 0;
  const std::string lower = ToLowerAscii(name);
  for (size_t month = 0; month < std::size(kMonths); ++month) {
    for (const std::string_view begin : Split(kMonths[month], ' ')) {
      if (lower.starts_with(begin)) return static_cast<int>(month) + 1;
    }
  }
  return 0;
}

bool IsDayName(std::string_view name) {
  constexpr std::string_view kDays = "montuewedthufrisatsun";
  const size_t found = name.size() < 3 ? std::string_view::npos : kDays.find(ToLowerAscii(name.substr(0, 3)));
  return found != std::string_view::npos && found % 3 == 0;
}

// "7:00" and "07:00": whether a time of day starts here.
bool BeginsClock(std::string_view text, size_t at) {
  const size_t digits = CountDigits(text, at);
  return (digits == 1 || digits == 2) && at + digits + 1 < text.size() && text[at + digits] == ':' &&
         IsDigit(text[at + digits + 1]);
}

struct Date {
  int year = 0, month = 0, day = 0;
  bool has_year = true;
  DateOrder order = DateOrder::kYearMonthDay;  // order of a numeric date
  uint8_t orders = 0;                          // in which it is valid, as bits
  size_t size = 0;                             // text length; 0 = none

  int64_t Seconds() const { return (cctz::civil_day(year, month, day) - cctz::civil_day()) * kDaySeconds; }
  bool IsValid() const { return month >= 1 && month <= 12 && day >= 1 && day <= 31 && year >= 1970 && year <= 2200; }
};

// The numbers of a date in the order of the text; a month's name is the number of the month.
struct DateParts {
  std::array<int, 3> value{};
  std::array<size_t, 3> digits{};  // 0 = a name
  size_t count = 0;
  bool has_name = false;
  char separator = 0;
};

Date Ordered(const DateParts& parts, DateOrder order) {
  const auto year = [&](size_t part) { return parts.value[part] + (parts.digits[part] == 4 ? 0 : 2000); };
  if (order == DateOrder::kYearMonthDay)
    return {.year = year(0), .month = parts.value[1], .day = parts.value[2], .order = order};
  const bool is_day_first = order == DateOrder::kDayMonthYear;
  return {.year = year(2),
          .month = parts.value[is_day_first ? 1 : 0],
          .day = parts.value[is_day_first ? 0 : 1],
          .order = order};
}

// A date of three numbers without a name. Two digits of a year are not of one before Spark's first.
Date NumericDate(const DateParts& parts, std::optional<DateOrder> preferred) {
  constexpr int kFirstYear = 2010, kLastYear = 2069;
  const bool has_long_year = parts.digits[0] == 4 || parts.digits[2] == 4;
  if (parts.digits[1] > 2 || (!has_long_year && parts.digits != std::array<size_t, 3>{2, 2, 2})) return {};
  std::array<DateOrder, kDateOrderCount> orders = {DateOrder::kYearMonthDay, DateOrder::kMonthDayYear,
                                                   DateOrder::kDayMonthYear};
  // "1/5/2024" without zeros is American.
  const bool is_short = parts.digits[0] == 1 || parts.digits[1] == 1;
  if (parts.separator == '.' || (has_long_year && !is_short)) std::swap(orders[1], orders[2]);
  if (parts.separator == '.' && !has_long_year) std::swap(orders[0], orders[1]);
  Date found;
  uint8_t valid = 0;
  for (const DateOrder order : orders) {
    if (has_long_year && (order == DateOrder::kYearMonthDay) != (parts.digits[0] == 4)) continue;
    const Date date = Ordered(parts, order);
    if (!date.IsValid() || (!has_long_year && (date.year < kFirstYear || date.year > kLastYear))) continue;
    if (valid == 0 || order == preferred) found = date;
    valid |= static_cast<uint8_t>(1 << static_cast<int>(order));
  }
  found.orders = valid;
  return found;
}

// A date whose month is a name, or without a year.
Date NamedDate(const DateParts& parts) {
  Date date{.year = kLeapYear, .has_year = false};
  const size_t month_first = parts.separator == '.' ? 1 : 0;
  std::array<size_t, 2> others{};  // the parts that are not the month
  size_t count = 0;
  for (size_t part = 0; part < parts.count; ++part) {
    if (parts.has_name ? parts.digits[part] == 0 : part == month_first) {
      date.month = parts.value[part];
    } else if (count < others.size()) {
      others[count++] = part;
    }
  }
  if (count == 2 && parts.digits[others[0]] == 4) std::swap(others[0], others[1]);
  if (parts.digits[others[0]] > 2) return {};
  date.day = parts.value[others[0]];
  if (count < 2) return date;
  date.has_year = true;
  date.year = parts.value[others[1]] + (parts.digits[others[1]] == 4 ? 0 : 2000);
  return date;
}

// The size of what separates two numbers of a date at `at`; 0 = nothing does.
size_t SeparatorSize(std::string_view text, size_t at, const DateParts& parts) {
  if (at >= text.size()) return 0;
  const char c = text[at];
  const bool is_mark = c == '-' || c == '/' || c == '.';
  const size_t next = at + (text.substr(at + 1, 1) == " " ? 2 : 1);
  const bool is_name_near = parts.has_name || (next < text.size() && IsNameByte(text[next]));
  if (!is_name_near) return is_mark && (parts.count < 2 || c == parts.separator) ? 1 : 0;
  size_t size = is_mark || c == ',' ? 1 : 0;
  while (size < 3 && at + size < text.size() && text[at + size] == ' ') ++size;
  return size;
}

// The size of what separates a date from its time of day at `at`; 0 = no time of day follows.
size_t JoinerSize(std::string_view text, size_t at) {
  for (const std::string_view joiner : {" ", "T", ", ", " @ ", " at ", "  ", "_", "-", ":"}) {
    if (text.substr(at).starts_with(joiner) && BeginsClock(text, at + joiner.size())) return joiner.size();
  }
  return 0;
}

// The date at the start of `text`, up to what separates it from the time of day.
Date ParseDate(std::string_view text, std::optional<DateOrder> preferred) {
  size_t at = 0;
  if (const size_t name = NameSize(text, 0); name > 0 && IsDayName(text.substr(0, name))) {
    at = name;
    while (at < text.size() && (text[at] == ',' || text[at] == '.' || text[at] == ' ')) ++at;
  }
  DateParts parts;
  for (size_t end = at; parts.count < 3 && !BeginsClock(text, at);) {
    const size_t digits = CountDigits(text, at);
    if (parts.count == 0 && (digits == 8 || digits == 14 || digits == 17)) {  // with its time of day, or without it
      parts = {.value = {Digits(text, at, 4), Digits(text, at + 4, 2), Digits(text, at + 6, 2)},
               .digits = {4, 2, 2},
               .count = 3};
      at += 8;
      break;
    }
    if (digits == 0) {
      const size_t name = NameSize(text, at);
      const int month = parts.has_name ? 0 : MonthByName(text.substr(at, name));
      if (month == 0) return {};
      parts.value[parts.count] = month;
      parts.has_name = true;
      end = at + name;
    } else if (digits <= 2 || digits == 4) {
      parts.value[parts.count] = Digits(text, at, digits);
      parts.digits[parts.count] = digits;
      end = at + digits;
    } else {
      return {};
    }
    ++parts.count;
    at = end;
    if (parts.count >= 2 && JoinerSize(text, at) > 0) break;
    const size_t separator = parts.count < 3 ? SeparatorSize(text, at, parts) : 0;
    if (separator == 0) break;
    if (parts.separator == 0) parts.separator = text[at];
    at += separator;
  }
  if (parts.count < 2) return {};
  Date date;
  if (parts.count == 3 && !parts.has_name) {
    date = NumericDate(parts, preferred);
  } else if (parts.has_name || (parts.digits[0] == 2 && parts.digits[1] == 2)) {
    date = NamedDate(parts);
  }
  date.size = date.IsValid() ? at : 0;
  return date;
}

struct ZoneAbbreviation {
  std::string_view name;
  int minutes = 0;  // ahead of UTC
  bool is_unique = true;
};

constexpr ZoneAbbreviation kZones[] = {
    {"UTC", 0},    {"GMT", 0},    {"WET", 0},    {"WEST", 60},  {"CET", 60},       {"CEST", 120},     {"MEZ", 60},
    {"MESZ", 120}, {"EET", 120},  {"EEST", 180}, {"MSK", 180},  {"EST", -300},     {"EDT", -240},     {"CDT", -300},
    {"MST", -420}, {"MDT", -360}, {"PST", -480}, {"PDT", -420}, {"AKST", -540},    {"HST", -600},     {"JST", 540},
    {"KST", 540},  {"SGT", 480},  {"HKT", 480},  {"AEST", 600}, {"AEDT", 660},     {"ACST", 570},     {"AWST", 480},
    {"NZST", 720}, {"NZDT", 780}, {"BRT", -180}, {"SAST", 120}, {"CST", 0, false}, {"IST", 0, false}, {"BST", 0, false},
};

bool EndsWord(std::string_view text, size_t at) {
  return at >= text.size() || std::strchr(" \t],:|)>;\"'}", text[at]) != nullptr;
}

// "[Europe/Berlin]" behind an offset, which counts.
void SkipZoneName(std::string_view text, LogTime* time) {
  const size_t close = text.substr(time->size, 1) == "[" ? text.find(']', time->size) : std::string_view::npos;
  if (close == std::string_view::npos) return;
  const std::string_view name = text.substr(time->size + 1, close - time->size - 1);
  if (name == "UTC" || (name.find('/') != std::string_view::npos && name.find(' ') == std::string_view::npos))
    time->size = close + 1;
}

void ParseFraction(std::string_view text, LogTime* time) {
  size_t at = time->size;
  if (at + 1 >= text.size() || !IsDigit(text[at + 1])) return;
  const bool is_fraction = text[at] == '.' || text[at] == ',' || (text[at] == ':' && CountDigits(text, at + 1) == 3);
  if (!is_fraction) return;
  int64_t unit = kNanosPerSecond;
  for (++at; at < text.size() && IsDigit(text[at]); ++at) {
    unit /= 10;
    time->time_ns += unit * (text[at] - '0');
  }
  time->is_exact = true;
  time->size = at;
}

// "AM" or "p.m." after the time of an hour from 1 to 12, perhaps after a blank of any width; false if there is none.
bool ParseHalfOfDay(std::string_view text, int hour, LogTime* time) {
  if (hour < 1 || hour > 12) return false;
  const std::string_view rest = text.substr(time->size);
  size_t at = time->size;
  at += rest.starts_with(' ') ? 1 : rest.starts_with("\xe2\x80\xaf") ? 3 : rest.starts_with("\xc2\xa0") ? 2 : 0;
  const bool is_afternoon = at < text.size() && (text[at] == 'P' || text[at] == 'p');
  if (at >= text.size() || (!is_afternoon && text[at] != 'A' && text[at] != 'a')) return false;
  const bool has_dots = text.substr(at + 1, 1) == ".";
  at += has_dots ? 2 : 1;
  if (at >= text.size() || (text[at] != 'M' && text[at] != 'm')) return false;
  at += has_dots && text.substr(at + 1, 1) == "." ? 2 : 1;
  if (!EndsWord(text, at)) return false;
  if (is_afternoon && hour < 12) time->time_ns += 12 * 3600 * kNanosPerSecond;
  if (!is_afternoon && hour == 12) time->time_ns -= 12 * 3600 * kNanosPerSecond;
  time->size = at;
  return true;
}

}  // namespace

void LogTimeParser::ParseZone(std::string_view text, LogTime* time) {
  const size_t at = time->size;
  if (at < text.size() && text[at] == 'Z') {
    time->has_zone = true;
    time->size = at + 1;
    SkipZoneName(text, time);
    return;
  }
  const size_t zone = at < text.size() && text[at] == ' ' ? at + 1 : at;
  if (zone >= text.size()) return;
  if ((zone > at && IsUpper(text[zone])) || text[zone] == '[') {
    const size_t begin = zone + (text[zone] == '[' ? 1 : 0);
    size_t end = begin;
    while (!EndsWord(text, end)) ++end;
    if (ParseZoneName(text.substr(begin, end - begin), time)) time->size = end + (begin - zone);
    return;
  }
  if (text[zone] != '+' && text[zone] != '-') return;
  const int hours = Digits(text, zone + 1, 2);
  const bool has_colon = zone + 3 < text.size() && text[zone + 3] == ':';
  int minutes = Digits(text, zone + (has_colon ? 4 : 3), 2);
  size_t end = zone + (has_colon ? 6 : 5);
  if (minutes < 0 && !has_colon && zone == at && CountDigits(text, zone + 1) == 2) {
    minutes = 0;
    end = zone + 3;
  }
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return;
  const int64_t offset_ns = (hours * 60 + minutes) * 60 * kNanosPerSecond;
  time->time_ns += text[zone] == '+' ? -offset_ns : offset_ns;
  time->has_zone = true;
  time->size = end;
  SkipZoneName(text, time);
}

// False if the name is not a zone's.
bool LogTimeParser::ParseZoneName(std::string_view name, LogTime* time) {
  const auto known = std::find_if(std::begin(kZones), std::end(kZones),
                                  [&](const ZoneAbbreviation& zone) { return zone.name == name; });
  if (known != std::end(kZones)) {
    time->time_ns -= known->minutes * 60 * kNanosPerSecond;
    time->has_zone = known->is_unique;
    return true;
  }
  constexpr std::string_view kContinents[] = {"Africa/",    "America/", "Asia/",   "Atlantic/",
                                              "Australia/", "Europe/",  "Indian/", "Pacific/"};
  const auto begins = [&](std::string_view continent) { return name.starts_with(continent); };
  if (std::none_of(std::begin(kContinents), std::end(kContinents), begins)) return false;
  if (name != zone_name_) {
    const Result<LogZone> zone = LogZone::Parse(std::string(name));
    if (!zone) return false;
    zone_ = *zone;
    zone_name_ = name;
  }
  time->time_ns = zone_.ToUtc(time->time_ns);
  time->has_zone = true;
  return true;
}

// The time of day at `at`; `time` has the date's moment, and its zone and size afterwards.
bool LogTimeParser::ParseClock(std::string_view text, size_t at, LogTime* time) {
  int hour = 0, minute = 0, second = 0;
  size_t hour_digits = 2;
  if (at + 2 < text.size() && (text[at + 2] == ':' || text[at + 1] == ':')) {
    hour_digits = text[at + 1] == ':' ? 1 : 2;
    const size_t end = at + hour_digits + 6;
    if (end > text.size() || text[end - 6] != ':' || text[end - 3] != ':') return false;
    hour = Digits(text, at, hour_digits), minute = Digits(text, end - 5, 2), second = Digits(text, end - 2, 2);
    time->size = end;
  } else {  // hhmmss, perhaps with milliseconds
    const size_t digits = at == 0 ? 0 : CountDigits(text, at);
    if (digits != 6 && digits != 9) return false;
    hour = Digits(text, at, 2), minute = Digits(text, at + 2, 2), second = Digits(text, at + 4, 2);
    time->size = at + digits;
    time->is_exact = digits == 9;
    if (digits == 9) time->time_ns += Digits(text, at + 6, 3) * kNanosPerMilli;
  }
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  time->time_ns += (hour * 3600 + minute * 60 + second) * kNanosPerSecond;
  ParseFraction(text, time);
  const bool has_half = ParseHalfOfDay(text, hour, time);
  if (hour_digits == 1 && at == 0 && !has_half) return false;
  if (time->size + 1 < text.size() && text[time->size] == ':' && IsDigit(text[time->size + 1])) return false;
  ParseZone(text, time);
  return true;
}

int64_t LogTimeParser::EpochNanos(double number) {
  constexpr double kFirstSecond = 1'262'304'000, kLastSecond = 9'000'000'000;
  for (int unit = 0; unit < 3 && number > kLastSecond; ++unit) number /= 1000;
  return number < kFirstSecond || number > kLastSecond ? 0 : std::llround(number * 1e6) * 1000;
}

// "1550420474101 ", or seconds with a fraction: "1550420474.101 ".
bool LogTimeParser::ParseEpoch(std::string_view text, LogTime* time) {
  const size_t digits = CountDigits(text, 0);
  if (digits < 10 || digits > 19 || digits % 3 != 1 || text[0] != '1') return false;
  int64_t number = 0;
  for (size_t i = 0; i < digits; ++i) number = number * 10 + (text[i] - '0');
  int64_t unit = kNanosPerSecond;
  for (size_t i = 10; i < digits; i += 3) unit /= 1000;
  *time = {.size = digits, .time_ns = number * unit, .has_zone = true, .is_exact = digits > 10};
  if (digits == 10) ParseFraction(text, time);
  return EpochNanos(static_cast<double>(number)) > 0 && time->size < text.size() && !IsAlnum(text[time->size]) &&
         text[time->size] != '.' && text[time->size] != '-' && text[time->size] != '_';
}

// A time on the day of the time before it, or without a day.
bool LogTimeParser::ParseOnKnownDay(std::string_view text, LogTime* time) {
  if (text.size() < date_size_ || std::memcmp(text.data(), date_text_, date_size_) != 0) return false;
  *time = {.time_ns = date_seconds_ * kNanosPerSecond, .missing = date_missing_};
  if (!ParseClock(text, date_size_, time)) return false;
  if (date_missing_ == MissingDate::kYear) ParseYearBehind(text, time);
  return true;
}

// Java's and date's own form have the year behind the time of day.
void LogTimeParser::ParseYearBehind(std::string_view text, LogTime* time) const {
  const int year = text.substr(time->size, 1) == " " ? Digits(text, time->size + 1, 4) : -1;
  if (year < 1970 || year > 2200 || !EndsWord(text, time->size + 5)) return;
  const cctz::civil_day day = cctz::civil_day() + date_seconds_ / kDaySeconds;
  time->time_ns += (cctz::civil_day(year, day.month(), day.day()) - day) * kDaySeconds * kNanosPerSecond;
  time->missing = MissingDate::kNone;
  time->size += 5;
}

LogTime LogTimeParser::Parse(std::string_view text) {
  if (text.empty() || !(IsDigit(text[0]) || IsNameByte(text[0]))) return {};
  LogTime time;
  if (ParseOnKnownDay(text, &time)) return time;
  if (ParseEpoch(text, &time)) return time;
  const Date date = ParseDate(text, order_);
  size_t at = date.size;
  const bool is_joined = at > 0 && CountDigits(text, at) > 0;
  if (at > 0 && !is_joined) {
    const bool has_colons = JoinerSize(text, at) > 0;
    const bool has_mark =
        at < text.size() && (text[at] == 'T' || text[at] == '-' || text[at] == '_' || text[at] == ' ');
    if (!has_colons && (!has_mark || CountDigits(text, at + 1) < 6)) return {};
    at += has_colons ? JoinerSize(text, at) : 1;
  }
  if (at > sizeof date_text_) return {};
  date_size_ = at;
  std::memcpy(date_text_, text.data(), at);
  date_seconds_ = at > 0 ? date.Seconds() : 0;
  date_missing_ = at == 0 ? MissingDate::kDate : date.has_year ? MissingDate::kNone : MissingDate::kYear;
  if (!ParseOnKnownDay(text, &time)) {
    date_size_ = 0;
    date_missing_ = MissingDate::kDate;
    return {};
  }
  if (at > 0 && date.has_year) order_ = date.order;
  return time;
}

uint8_t LogTimeParser::OrdersOf(std::string_view text) { return ParseDate(text, std::nullopt).orders; }

}  // namespace sparkprof
