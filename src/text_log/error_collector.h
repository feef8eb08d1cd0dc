// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "text_log/log_reader.h"

namespace sparkprof {

// A group of equal warnings or errors, with their texts and places.
struct LogError {
  uint64_t fingerprint = 0;
  LogLevel level = LogLevel::kNone;  // the highest
  std::string message;               // first line of the newest error
  std::string exception;             // class of the logged exception; empty = none
  std::string root_cause;            // "class: message" of the innermost cause; empty without an exception
  std::string stack;                 // further lines of the newest one
  int64_t count = 0;
  int64_t first_ns = 0;  // 0 = unknown
  int64_t last_ns = 0;
  std::vector<std::string> where;  // "file:line", the first kMaxPlaces
};

// Groups records of level WARN and above, others that an exception follows, and unlogged exceptions. Two are equal if
// the classes of their exceptions and the frames of the user's code are equal (without line numbers, generated names
// and addresses; the first frames if there are none of the user's); without an exception, if their messages differ only
// in parameters. So the failure of a task is one error in its executor's log and in the driver's. Bounded: kMaxErrors
// groups, the rest is counted.
class ErrorCollector {
 public:
  static constexpr size_t kMaxErrors = 10'000;
  static constexpr size_t kMaxPlaces = 100;

  void BeginFile(std::string_view name) { file_ = name; }
  void Add(const LogRecord& record);

  // Newest first.
  std::vector<LogError> Errors() const;
  int64_t Dropped() const { return dropped_; }

 private:
  std::string file_;
  std::unordered_map<uint64_t, LogError> errors_;
  std::string masked_;
  int64_t dropped_ = 0;
};

}  // namespace sparkprof
