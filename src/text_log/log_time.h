// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text_log/log_zone.h"

namespace sparkprof {

enum class MissingDate : uint8_t { kNone, kYear, kDate };

// A moment as a log writes it.
struct LogTime {
  size_t size = 0;                           // of its text; 0 = none
  int64_t time_ns = 0;                       // since the Unix epoch; without a zone as if the zone were UTC
  bool has_zone = false;                     // the text contains the zone
  bool is_exact = false;                     // milliseconds or better
  MissingDate missing = MissingDate::kNone;  // kDate: time_ns is the time of day; kYear: it is in 1972
};

// Parses the time at the start of a text, in any of these layouts: yy/MM/dd (Spark, EMR, Databricks), ISO 8601 with T
// or blank, yyyy/MM/dd, yy-MM-dd, dd/MM/yyyy, MM/dd/yy if nothing else fits, "dd MMM yyyy", "MMM d, yyyy", yyyyMMdd,
// MM-dd and "MMM d" without a year, time of day alone, epoch seconds with a fraction, epoch milliseconds; optionally
// followed by a fraction after '.' or ',', AM or PM, and a zone: Z, +hh:mm, +hhmm, an abbreviation (CET), or a name
// (Europe/Berlin). Abbreviations with several meanings (CST, IST, BST) do not count as a zone. Tries the last matching
// layout first. Not thread-safe.
class LogTimeParser {
 public:
  LogTime Parse(std::string_view text);

 private:
  static bool ParseEpoch(std::string_view text, LogTime* time);
  bool ParseLayout(size_t layout, std::string_view text, LogTime* time);
  bool ParseTimeOfDay(size_t at, int64_t day_seconds, std::string_view text, LogTime* time);
  void ParseZone(std::string_view text, LogTime* time);
  bool ParseZoneName(std::string_view name, LogTime* time);

  size_t layout_ = 0;
  char date_text_[12] = {};  // of the previous line, whose day is known
  size_t date_size_ = 0;
  int64_t date_seconds_ = 0;
  std::string zone_name_;  // of the previous line
  LogZone zone_;
};

}  // namespace sparkprof
