// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_time.h"

#include <cstring>
#include <iterator>

#include "base/characters.h"
#include "base/time.h"

namespace sparkprof {
namespace {

// Y four-digit year, y two-digit year, M month, N its English name, d day, - any of "-/. ", any other character itself.
// The time of day follows after a blank or 'T', or directly if there is no date. The most frequent first.
constexpr std::string_view kDates[] = {"y/M/d", "Y-M-d", "Y/M/d", "y-M-d", "M/d/y", "d/M/Y",
                                       "M/d/Y", "d-N-Y", "N-d-Y", "Y.M.d", "YMd",   ""};
constexpr size_t kEpochMillis = std::size(kDates);

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
  int year = 1970, month = 1, day = 1;
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

// A fraction and a zone, where they are.
void ParseRest(std::string_view text, LogTime* time) {
  size_t at = time->size;
  if (at + 1 < text.size() && (text[at] == '.' || text[at] == ',') && IsDigit(text[at + 1])) {
    int64_t unit = kNanosPerSecond;
    for (++at; at < text.size() && IsDigit(text[at]); ++at) {
      unit /= 10;
      time->time_ns += unit * (text[at] - '0');
    }
    time->is_exact = true;
    time->size = at;
  }
  if (at < text.size() && text[at] == 'Z') {
    time->has_zone = true;
    time->size = at + 1;
    return;
  }
  const size_t zone = at < text.size() && text[at] == ' ' ? at + 1 : at;
  if (text.substr(zone, 4) == "UTC " || text.substr(zone, 4) == "GMT ") {
    time->has_zone = true;
    time->size = zone + 3;
    return;
  }
  if (zone >= text.size() || (text[zone] != '+' && text[zone] != '-')) return;
  const int hours = Digits(text, zone + 1, 2);
  const bool has_colon = zone + 3 < text.size() && text[zone + 3] == ':';
  const int minutes = Digits(text, zone + (has_colon ? 4 : 3), 2);
  if (hours < 0 || hours > 18 || minutes < 0 || minutes > 59) return;
  const int64_t offset_ns = (hours * 60 + minutes) * 60 * kNanosPerSecond;
  time->time_ns += text[zone] == '+' ? -offset_ns : offset_ns;
  time->has_zone = true;
  time->size = zone + (has_colon ? 6 : 5);
}

}  // namespace

bool LogTimeParser::ParseLayout(size_t layout, std::string_view text, LogTime* time) {
  if (layout == kEpochMillis) {
    constexpr size_t kDigits = 13;
    if (text.size() <= kDigits || text[0] != '1' || text[kDigits] != ' ') return false;
    int64_t millis = 0;
    for (size_t i = 0; i < kDigits; ++i) {
      if (!IsDigit(text[i])) return false;
      millis = millis * 10 + (text[i] - '0');
    }
    *time = {kDigits, millis * kNanosPerMilli, true, true};
    return true;
  }
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
  if (at + 8 > text.size() || text[at + 2] != ':' || text[at + 5] != ':') return false;
  const int hour = Digits(text, at, 2), minute = Digits(text, at + 3, 2), second = Digits(text, at + 6, 2);
  if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) return false;
  seconds += hour * 3600 + minute * 60 + second;
  *time = {at + 8, seconds * kNanosPerSecond, false, false};
  ParseRest(text, time);
  return true;
}

LogTime LogTimeParser::Parse(std::string_view text) {
  LogTime time;
  const size_t last = layout_;
  if (ParseLayout(last, text, &time)) return time;
  for (size_t layout = 0; layout <= kEpochMillis; ++layout) {
    if (layout == last || !ParseLayout(layout, text, &time)) continue;
    layout_ = layout;
    return time;
  }
  layout_ = last;
  date_size_ = 0;
  return {};
}

}  // namespace sparkprof
