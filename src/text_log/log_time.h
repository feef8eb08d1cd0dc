// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparkprof {

// A moment as a log writes it.
struct LogTime {
  size_t size = 0;        // of its text; 0 = none
  int64_t time_ns = 0;    // since the Unix epoch; without a zone as if the zone were UTC
  bool has_zone = false;  // the text contains the zone
  bool is_exact = false;  // milliseconds or better
};

// Parses the time at the start of a text, in any of these layouts: yy/MM/dd (Spark, EMR, Databricks), ISO 8601 with T
// or blank, yyyy/MM/dd, yy-MM-dd, dd/MM/yyyy, MM/dd/yy if nothing else fits, "dd MMM yyyy", yyyyMMdd, time of day alone
// (counted from the epoch), epoch milliseconds; optionally followed by a fraction after '.' or ',' and a zone (Z,
// +hh:mm, +hhmm, UTC, GMT). Tries the last matching layout first. Not thread-safe.
class LogTimeParser {
 public:
  LogTime Parse(std::string_view text);

 private:
  bool ParseLayout(size_t layout, std::string_view text, LogTime* time);

  size_t layout_ = 0;
  char date_text_[12] = {};  // of the previous line, whose day is known
  size_t date_size_ = 0;
  int64_t date_seconds_ = 0;
};

}  // namespace sparkprof
