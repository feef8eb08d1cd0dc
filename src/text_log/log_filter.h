// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <re2/re2.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include "base/result.h"
#include "text_log/log_reader.h"
#include "text_log/log_time.h"
#include "text_log/log_zone.h"

namespace sparkprof {

// The record selection of `sparkprof logs`, as entered.
struct LogFilterOptions {
  std::string level;
  std::string from;
  std::string to;
  std::string grep;
  std::optional<int64_t> stage;
  std::optional<int64_t> task;
};

class LogFilter {
 public:
  // Times without a zone are in that of the log.
  static Result<LogFilter> Make(const LogFilterOptions& options, const LogZone& zone);

  // Records must be in file order: a stage's records are found by earlier records about its tasks.
  bool Takes(const LogRecord& record);
  bool TakesAll() const { return takes_all_; }

 private:
  bool IsOfStage(std::string_view text);
  void PlaceTimes(int64_t first_ns);

  bool takes_all_ = true;
  LogLevel level_ = LogLevel::kNone;
  int64_t from_ns_ = INT64_MIN;
  int64_t to_ns_ = INT64_MAX;
  // Without a date: `from` is the moment closest to the first record, `to` the first one after it.
  std::optional<LogTime> from_of_day_;
  std::optional<LogTime> to_of_day_;
  // Since the first record.
  std::optional<int64_t> from_offset_ns_;
  std::optional<int64_t> to_offset_ns_;
  LogZone zone_;
  std::unique_ptr<RE2> grep_;
  std::unique_ptr<RE2> stage_;
  std::unique_ptr<RE2> task_;
  std::unordered_set<int64_t> tasks_of_stage_;
};

}  // namespace sparkprof
