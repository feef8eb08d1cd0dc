// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "model/log_records.h"
#include "text_log/log_time.h"

namespace sparkprof {

// The part of a log line before the message. Views point into the line.
struct LogHeader {
  LogTime time;  // size 0: the layout has no time
  LogLevel level = LogLevel::kNone;
  std::string_view thread;
  std::string_view logger;
  size_t message = 0;                           // offset in the line
  size_t message_end = std::string_view::npos;  // before the place that some layouts write after the message
  bool is_first_of_two = false;  // java.util.logging's first line: the level and the message are in the next one
};

// Splits a line into header and message for any log4j, logback or Python layout that has a time and a level, in either
// order, with thread, logger and place between them or not:
//   17/06/09 20:10:45 INFO executor.Executor: …            2019-01-05 19:38:41 INFO  Executor:54 - …
//   23/11/07 10:59:24.335 main INFO SparkContext: …        2024-01-01T00:00:00,123 [main] INFO  o.a.s.Executor - …
//   INFO 2024-01-01 00:00:00 [main] Executor: …            2024-01-01 00:00:00,123 - root - WARNING - …
//   [2024-01-01 00:00:00] {job.py:12} ERROR - …            WARNING:root:…        1550420474101 com.uber.Agent: …
//   Jan 15, 2024 1:02:03 PM org.apache.spark.SparkContext logInfo   (java.util.logging: "INFO: …" follows)
//   2024-01-01 00:00:00,123 | INFO  | [main] | … | org.apache.spark.SparkContext.logInfo(Logging.scala:54)
// The message of a program that passes lines on (Livy's LineBufferedStream) may be such a line itself, which then
// counts. Not thread-safe.
class LogHeaderParser {
 public:
  // False if the line does not start a record. `may_lack_time`: another program noted the time, so that "INFO Executor:
  // …" is a header.
  bool Parse(std::string_view line, LogHeader* header, bool may_lack_time = false);

  // java.util.logging's second line, "INFO: …": adds the level and the message to the header of the first.
  static bool ParseSecond(std::string_view line, LogHeader* header);

 private:
  bool ParseOne(std::string_view line, LogHeader* header, bool may_lack_time);
  bool ParseAfterTime(std::string_view line, size_t at, LogHeader* header);

  LogTimeParser times_;
};

// Parses "INFO", "WARNING", "CRITICAL", …; kNone for anything else.
LogLevel LogLevelOf(std::string_view word);

}  // namespace sparkprof
