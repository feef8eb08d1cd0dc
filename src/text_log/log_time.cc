// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_time.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "base/characters.h"
#include "base/text.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Y four-digit year, y two-digit year, M month, N its English name, d day, e and m day and month of one or two digits,
// - any of "-/. ", any other character itself. The time of day follows after a blank or 'T', or directly if there is no
// date. The most frequent first.
constexpr std::string_view kDates[] = {"y/M/d",  "Y-M-d", "Y/M/d", "y-M-d", "M/d/y", "d-M-Y",
                                       "M-d-Y",  "d-N-Y", "N-d-Y", "Y.M.d", "YMd",   "N e, Y",
                                       "Y-M-d,", "m/e/Y", "M-d",   "N e",   ""};
constexpr size_t kLogEpoch = std::size(kDates);

bool LacksYear(std::string_view layout) {
  return !layout.empty() && layout.find_first_of("Yy") == std::string_view::npos;
}

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

int MonthByName(std::string_view text) {
  constexpr std::string_view kNames = "JanFebMarAprMayJunJulAugSepOctNovDec";
  if (text.size() < 3) return -1;
  const size_t found = kNames.find(text.substr(0, 3));
  return found == std::string_view::npos || found % 3 != 0 ? -1 : static_cast<int>(found / 3) + 1;
}

// Days since the epoch of a date of the proleptic Gregorian calendar (Howard Hinnant's days_from_civil, public domain).
int64_t Days(int year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719468;
}

// Seconds since the epoch of the date at the start of `text` and the size of its text, 0 if it is not there.
size_t ParseDate(std::string_view layout, std::string_view text, int64_t* seconds) {
  int year = LacksYear(layout) ? 1972 : 1970, month = 1, day = 1;
  size_t at = 0;
  for (const char part : layout) {
    int value = 0;
    switch (part) {
      case 'Y':
        value = year = Digits(text, at, 4);
        at += 4;
        break;
      case 'y':
        value = Digits(text, at, 2);
        year = 2000 + value;
        at += 2;
        break;
      case 'M':
        value = month = Digits(text, at, 2);
        at += 2;
        break;
      case 'N':
        value = month = at < text.size() ? MonthByName(text.substr(at)) : -1;
        at += 3;
        break;
      case 'd':
        value = day = Digits(text, at, 2);
        at += 2;
        break;
      case 'e':
      case 'm': {
        const size_t count = std::clamp<size_t>(CountDigits(text, at), 1, 2);
        value = Digits(text, at, count);
        (part == 'e' ? day : month) = value;
        at += count;
        break;
      }
      case '-':
        value = at < text.size() && std::strchr("-/. ", text[at]) != nullptr ? 0 : -1;
        ++at;
        break;
      default:
        value = at < text.size() && text[at] == part ? 0 : -1;
        ++at;
    }
    if (value < 0) return 0;
  }
  if (month < 1 || month > 12 || day < 1 || day > 31 || year < 1970 || year > 2200) return 0;
  *seconds = Days(year, month, day) * 86400;
  return at;
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
  return at >= text.size() || std::strchr(" \t],:|)", text[at]) != nullptr;
}

void ParseFraction(std::string_view text, LogTime* time) {
  size_t at = time->size;
  if (at + 1 >= text.size() || (text[at] != '.' && text[at] != ',') || !IsDigit(text[at + 1])) return;
  int64_t unit = kNanosPerSecond;
  for (++at; at < text.size() && IsDigit(text[at]); ++at) {
    unit /= 10;
    time->time_ns += unit * (text[at] - '0');
  }
  time->is_exact = true;
  time->size = at;
}

// "AM" or "PM" after the time of an hour from 1 to 12; false if there is none.
bool ParseHalfOfDay(std::string_view text, int hour, LogTime* time) {
  const size_t at = time->size + (text.substr(time->size, 1) == " " ? 1 : 0);
  if (hour < 1 || hour > 12 || at + 2 > text.size() || !EndsWord(text, at + 2)) return false;
  const char half = text[at], m = text[at + 1];
  if ((m != 'M' && m != 'm') || std::strchr("AaPp", half) == nullptr) return false;
  const bool is_afternoon = half == 'P' || half == 'p';
  if (is_afternoon && hour < 12) time->time_ns += 12 * 3600 * kNanosPerSecond;
  if (!is_afternoon && hour == 12) time->time_ns -= 12 * 3600 * kNanosPerSecond;
  time->size = at + 2;
  return true;
}

}  // namespace

void LogTimeParser::ParseZone(std::string_view text, LogTime* time) {
  const size_t at = time->size;
  if (at < text.size() && text[at] == 'Z') {
    time->has_zone = true;
    time->size = at + 1;
    return;
  }
  const size_t zone = at < text.size() && text[at] == ' ' ? at + 1 : at;
  if (zone >= text.size()) return;
  if (zone > at && IsUpper(text[zone])) {
    size_t end = zone;
    while (!EndsWord(text, end)) ++end;
    if (ParseZoneName(text.substr(zone, end - zone), time)) time->size = end;
    return;
  }
  if (text[zone] != '+' && text[zone] != '-') return;
  const int hours = Digits(text, zone + 1, 2);
  const bool has_colon = zone + 3 < text.size() && text[zone + 3] == ':';
  const int minutes = Digits(text, zone + (has_colon ? 4 : 3), 2);
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return;
  const int64_t offset_ns = (hours * 60 + minutes) * 60 * kNanosPerSecond;
  time->time_ns += text[zone] == '+' ? -offset_ns : offset_ns;
  time->has_zone = true;
  time->size = zone + (has_colon ? 6 : 5);
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

bool LogTimeParser::ParseTimeOfDay(size_t at, int64_t day_seconds, std::string_view text, LogTime* time) {
  const size_t hour_digits = at + 1 < text.size() && text[at + 1] == ':' ? 1 : 2;
  const size_t end = at + hour_digits + 6;
  if (end > text.size() || text[end - 6] != ':' || text[end - 3] != ':') return false;
  const int hour = Digits(text, at, hour_digits), minute = Digits(text, end - 5, 2), second = Digits(text, end - 2, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  *time = {end, (day_seconds + hour * 3600 + minute * 60 + second) * kNanosPerSecond, false, false};
  ParseFraction(text, time);
  const bool has_half = ParseHalfOfDay(text, hour, time);
  if (hour_digits == 1 && !has_half) return false;
  ParseZone(text, time);
  return true;
}

// "1550420474101 ", or seconds with a fraction: "1550420474.101 ".
bool LogTimeParser::ParseEpoch(std::string_view text, LogTime* time) {
  constexpr size_t kMillisDigits = 13, kSecondsDigits = 10;
  const size_t digits = CountDigits(text, 0);
  if (text.empty() || text[0] != '1' || (digits != kMillisDigits && digits != kSecondsDigits)) return false;
  int64_t number = 0;
  for (size_t i = 0; i < digits; ++i) number = number * 10 + (text[i] - '0');
  *time = {.size = digits, .has_zone = true, .is_exact = true};
  if (digits == kMillisDigits) {
    time->time_ns = number * kNanosPerMilli;
  } else {
    if (digits >= text.size() || text[digits] != '.' || CountDigits(text, digits + 1) == 0) return false;
    time->time_ns = number * kNanosPerSecond;
    ParseFraction(text, time);
  }
  return time->size < text.size() && text[time->size] == ' ';
}

bool LogTimeParser::ParseLayout(size_t layout, std::string_view text, LogTime* time) {
  if (layout == kLogEpoch) return ParseEpoch(text, time);
  size_t at = date_size_;
  int64_t seconds = date_seconds_;
  if (layout != layout_ || date_size_ == 0 || text.size() < date_size_ ||
      std::memcmp(text.data(), date_text_, date_size_) != 0) {
    at = ParseDate(kDates[layout], text, &seconds);
    if (at == 0 && !kDates[layout].empty()) return false;
    date_size_ = 0;
    if (at <= sizeof date_text_) {
      if (at > 0) std::memcpy(date_text_, text.data(), at);
      date_size_ = at;
      date_seconds_ = seconds;
      layout_ = layout;
    }
  }
  if (at > 0) {
    if (at >= text.size() || (text[at] != ' ' && text[at] != 'T')) return false;
    ++at;
  }
  if (!ParseTimeOfDay(at, seconds, text, time)) return false;
  if (at == 0) time->missing = MissingDate::kDate;
  if (LacksYear(kDates[layout])) time->missing = MissingDate::kYear;
  return true;
}

LogTime LogTimeParser::Parse(std::string_view text) {
  LogTime time;
  const size_t last = layout_;
  if (ParseLayout(last, text, &time)) return time;
  for (size_t layout = 0; layout <= kLogEpoch; ++layout) {
    if (layout == last || !ParseLayout(layout, text, &time)) continue;
    layout_ = layout;
    return time;
  }
  layout_ = last;
  date_size_ = 0;
  return {};
}

}  // namespace sparkprof
