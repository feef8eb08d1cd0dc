// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "model/log_records.h"
#include "text_log/log_time.h"

namespace sparkprof {

// A record whose parts have names. Views are valid until the next line is parsed.
struct NamedRecord {
  LogTime time;
  LogLevel level = LogLevel::kNone;
  std::string_view thread;
  std::string_view logger;
  std::string_view message;  // one or more lines, perhaps of a log with a layout of its own
  std::string_view stack;    // the exception as a stack trace's lines
};

// Reads logs of one JSON object a line, and tables of values separated by commas, semicolons, bars or tabs below a line
// with the names of columns, whatever the names are: values show which field is the time (they are times, and differ),
// the level, the message (Spark's sentences, else the longest texts), the logger (names of classes) and the thread; of
// several, names decide. Fields of nested objects count. Not thread-safe.
class NamedFields {
 public:
  // Learns the names from one of the first lines.
  void Learn(std::string_view line) {
    if (line.starts_with('{')) LearnObject(line);
  }

  // Whether the lines, the first ones of a log, are a table. Their rows are records then.
  bool LearnTable(const std::vector<std::string>& lines);
  bool IsTable() const { return separator_ != '\0'; }

  // False if the line is something else. `is_open`: a row of a table that continues in the next line.
  bool Parse(std::string_view line, NamedRecord* record, bool* is_open);

 private:
  enum Role : size_t { kTime, kLevel, kMessage, kLogger, kThread, kStack, kNanos };
  static constexpr size_t kRoles = 7;
  static constexpr size_t kMaxFields = 256;
  static constexpr size_t kMaxTried = 1000;  // objects without a message: from then on only known names count

  // The values of a field so far.
  struct Field {
    size_t seen = 0, order = 0;
    size_t texts = 0, times = 0, levels = 0, sentences = 0, classes = 0, threads = 0, stacks = 0, words = 0;
    size_t size = 0;     // total of all texts
    size_t changes = 0;  // from one value to the next
    std::string last;
  };

  bool ParseObject(std::string_view line, simdjson::dom::object* object);
  void LearnObject(std::string_view line);
  void Note(const simdjson::dom::object& object, const std::string& path, int depth);
  void NoteText(const std::string& path, std::string_view text, bool is_number);
  void Rank();
  double ScoreOf(Role role, const std::string& path, const Field& field) const;
  bool Fill(const simdjson::dom::object& object, NamedRecord* record);
  bool ParseRow(std::string_view line, NamedRecord* record, bool* is_open);
  bool Finish(std::string_view time, std::string_view level, NamedRecord* record);
  void AddException(const simdjson::dom::object& exception);

  simdjson::dom::parser parser_;
  std::string padded_;
  std::string stack_;
  LogTimeParser times_;
  std::map<std::string, Field, std::less<>> fields_;      // by path, "jsonPayload.message"
  std::array<std::vector<std::string>, kRoles> by_role_;  // paths, the best first
  size_t tried_ = 0;

  char separator_ = '\0';
  std::vector<std::string> columns_;
  std::vector<std::string> cells_;
};

}  // namespace sparkprof
