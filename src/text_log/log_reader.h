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
  bool is_exact_time = false;  // milliseconds or better; otherwise whole seconds
  LogLevel level = LogLevel::kNone;
  bool has_header = false;  // false: output without a header
  std::string_view thread;
  std::string_view logger;
  std::string_view message;       // of the first line
  std::string_view continuation;  // the further lines, as written: a stack trace, a plan
  std::string_view text;          // all of it, as written, without the last newline
  int64_t line = 0;               // of the first line, from 1
  int64_t line_count = 1;
};

class LogRecordHandler {
 public:
  virtual ~LogRecordHandler() = default;
  virtual void OnRecord(const LogRecord& record) = 0;
};

struct LogReaderOptions {
  LogZone zone;  // of times that do not say theirs
};

// Splits the text of one log into records. Finds by itself how the lines are built: any header that LogHeaderParser
// knows, also when it changes within the file; Kubernetes' (CRI) and Docker's JSON envelopes, whose times count where a
// record's own has no zone; structured logs, one JSON object a line (Spark 4's, and others with time, level and
// message). Lines without a header are told apart: stack traces, tracebacks and indented text belong to the record
// before them; anything else is output, a record of its own without level. A traceback or exception that nobody logged
// is an error. Memory is bounded: a record keeps at most kMaxRecord bytes of further lines. No allocation per line of a
// plain log.
class LogReader {
 public:
  static constexpr size_t kMaxRecord = size_t{1} << 20;

  LogReader(LogRecordHandler* handler, LogReaderOptions options = {});
  ~LogReader();
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  // Whole lines; the last one of the log needs no newline.
  void AddLines(std::string_view lines);

  // Hands over the last record. Call once, at the end.
  void Finish();

  int64_t Lines() const;
  int64_t CutRecords() const;  // records longer than kMaxRecord

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace sparkprof
