// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "model/log_records.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// One record of a text log: a line with a header and the lines that belong to it, or a line of other output. Views are
// valid during the call that hands the record over.
struct LogRecord {
  int64_t time_ns = 0;         // since the Unix epoch; of the record before where it has none; 0 = unknown
  bool is_exact_time = false;  // milliseconds or better; otherwise seconds
  LogLevel level = LogLevel::kNone;
  bool has_header = false;  // false: output without a header
  std::string_view thread;
  std::string_view logger;
  std::string_view message;       // first line
  std::string_view continuation;  // the further lines, as written: a stack trace, a plan
  std::string_view text;          // all of it, as written, without the last newline
  int64_t line = 0;               // number of the first line, from 1
  int64_t line_count = 1;
};

class LogRecordHandler {
 public:
  virtual ~LogRecordHandler() = default;
  virtual void OnRecord(const LogRecord& record) = 0;
};

struct LogReaderOptions {
  LogZone zone;           // zone of times without one
  int64_t latest_ns = 0;  // when the log was last written to, for times without a date (MissingDates); 0 = unknown
  int64_t name_ns = 0;    // the day that the log's name has (DayOfName), 0 = none
};

// Splits the text of one log into records. Infers its layouts (LogLayouts) from its first 64 KiB, for which it waits,
// and again where they stop to fit; what collectors wrap around lines is removed: envelopes of Kubernetes (CRI), JSON
// objects and tables with the line in a field (NamedFields), and what they write before each line. Their times apply if
// a record's own time has no zone. Records of structured logs have their parts in fields. Among lines without a header,
// stack traces, tracebacks and indented text belong to the previous record; anything else is a record of its own
// without a level. An unlogged traceback or exception is an error. The lines of a private key, and a value on the line
// after its secret name, are redacted; other secrets are not. Bounded memory: a record keeps at most kMaxRecord bytes
// of further lines. No allocation per line of a plain log.
class LogReader {
 public:
  static constexpr size_t kMaxRecord = size_t{1} << 20;

  LogReader(LogRecordHandler* handler, LogReaderOptions options = {});
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Whole lines; the last one of the log needs no newline.
  void AddLines(std::string_view lines);

  // Hands over the last record. Lines of another part of the log may follow.
  void Finish();

  int64_t Lines() const;
  int64_t CutRecords() const;               // records longer than kMaxRecord
  std::vector<std::string> Doubts() const;  // uncertainties, as the ends of sentences about the log

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
