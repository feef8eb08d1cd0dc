// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <string>
#include <string_view>

#include "model/log_records.h"
#include "text_log/log_header.h"
#include "text_log/log_time.h"

namespace sparkprof {

// A record of a structured log. Views are valid until the next line is parsed.
struct StructuredRecord {
  LogTime time;
  LogLevel level = LogLevel::kNone;
  std::string_view thread;
  std::string_view logger;
  std::string_view message;
  std::string_view stack;  // the exception as a stack trace's lines
};

// Reads structured logs: one JSON object a line with time, level and message, as Spark 4 writes with
// spark.log.structuredLogging.enabled
// ({"ts","level","msg","context","exception":{"class","msg","stacktrace"},"logger"}), PySpark 4's logger, Elastic
// Common Schema ({"@timestamp","log.level","message"}, also nested), Google Cloud Logging ({"timestamp","severity",
// "jsonPayload"}), and others (timestamp or @timestamp, message). A message that is a whole log line counts as that
// line. Not thread-safe.
class StructuredLineParser {
 public:
  // False if the line is something else.
  bool Parse(std::string_view line, StructuredRecord* record);

  // A line that a collector wrapped without its level: the text, of one or more lines. Google Cloud Logging's
  // {"textPayload":"…","timestamp":"…"}, CloudWatch's and Filebeat's {"message":"…"}, Fluent Bit's {"log":"…"}, Loki's
  // {"line":"…"}, Splunk's {"_raw":"…"}.
  bool ParseTextPayload(std::string_view line, LogTime* time, std::string_view* text);

  // Docker's json-file line {"log":"…\n","stream":"stderr","time":"…"}: the text of `log`.
  bool ParseDocker(std::string_view line, LogTime* time, std::string_view* text, bool* is_stderr);

 private:
  bool ParseObject(std::string_view line, simdjson::dom::object* object);
  void AddException(const simdjson::dom::object& exception);

  simdjson::dom::parser parser_;
  std::string padded_;
  std::string message_;
  std::string stack_;
  LogTimeParser times_;
  LogHeaderParser headers_;  // of messages
};

}  // namespace sparkprof
