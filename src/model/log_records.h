// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// kNone: output without a log record header.
enum class LogLevel : uint8_t { kNone = 0, kTrace, kDebug, kInfo, kWarn, kError, kFatal };
inline constexpr size_t kLogLevelCount = static_cast<size_t>(LogLevel::kFatal) + 1;
std::string_view LogLevelName(LogLevel level);  // "", "TRACE", …, "FATAL"

// Text of a message with "<*>" for parameters.
struct LogTemplate {
  std::string text;
  int64_t count = 0;     // number of records, including dropped ones
  int64_t first_ns = 0;  // 0 = unknown
  int64_t last_ns = 0;
  std::array<int64_t, kLogLevelCount> levels{};  // number of records by level
};

// Log records of an application, in columns of equal length; rows of a file are in file order. Bounded: records beyond
// the limits are only counted; warnings and errors take precedence.
struct LogRecords {
  // Limits: total text and rows, and text per record.
  static constexpr size_t kMaxTextSize = size_t{64} << 20;
  static constexpr size_t kMaxRows = 500'000;
  static constexpr size_t kMaxRecordText = size_t{16} << 10;

  std::vector<int64_t> time_ns;  // ns since the Unix epoch, 0 = unknown
  std::vector<LogLevel> level;
  std::vector<int32_t> executor;       // row of Application::executors, -1 = unknown; in a Segment: see Segment::logs
  std::vector<uint32_t> source;        // position in `sources`
  std::vector<int64_t> line;           // line number of the record's start in its source, from 1
  std::vector<uint32_t> template_row;  // position in `templates`
  std::vector<uint64_t> text_end;      // end in `text`; the record starts at the end of the previous one
  std::string text;                    // records as written, including stack traces
  std::vector<std::string> sources;    // display paths
  std::vector<LogTemplate> templates;  // row 0: records without a template
  int64_t dropped = 0;                 // records read but not kept

  size_t Size() const { return time_ns.size(); }
  std::string_view Text(size_t row) const {
    const uint64_t begin = row == 0 ? 0 : text_end[row - 1];
    return std::string_view(text).substr(begin, text_end[row] - begin);
  }
};

// Appends `from`; executor e of `from` is the application's executors[e]. Merges files with the same path and templates
// with the same text. Respects the limits.
void AppendLogs(const LogRecords& from, const std::vector<int32_t>& executors, LogRecords* to);

}  // namespace sparkprof
