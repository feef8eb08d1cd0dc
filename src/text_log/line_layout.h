// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/log_records.h"
#include "text_log/log_time.h"

namespace sparkprof {

// The parts of a log line beside its message. Views point into the line.
struct LogHeader {
  LogTime time;  // size 0: the line has no time
  LogLevel level = LogLevel::kNone;
  std::string_view thread;
  std::string_view logger;
  size_t message = 0;      // offset in the line
  size_t message_end = 0;  // before what some layouts have behind the message
};

// Maximum size of what is before and behind a message: names of threads can be long.
inline constexpr size_t kMaxHeader = 512;

// The level that a word names in any case and in several languages, or with its first letter ("I", "W"); kNone for
// anything else.
LogLevel LogLevelOf(std::string_view word);

// Bytes of a name, as opposed to blanks, brackets and marks between names.
bool IsWordByte(char c);

// One step from the start of a line to its message, or from there to the end.
enum class StepKind : uint8_t {
  kLiteral,
  kBlank,  // at least one blank; none if `is_optional`
  kTime,
  kLevel,
  kNumber,  // digits
  kWord,    // of word bytes
  kText,    // anything, up to where the following steps match
};
enum class StepRole : uint8_t { kNone, kThread, kLogger };

struct LayoutStep {
  StepKind kind = StepKind::kLiteral;
  StepRole role = StepRole::kNone;
  bool is_optional = false;  // kLevel: it may be the first letter of one
  bool has_method = false;   // the logger's name ends with that of a method
  std::string literal;
  size_t times = 0;  // position in LineLayout::times
};

// How the lines of a log are composed: applied to each of them. Not thread-safe.
struct LineLayout {
  std::vector<LayoutStep> before;  // the message
  std::vector<LayoutStep> after;
  std::vector<LogTimeParser> times;
  bool is_first_of_two = false;  // java.util.logging's first line: the level and the message are in the next one
  bool is_guessed = false;       // from a line without a sentence of Spark
  size_t uses = 0;               // lines that it matched

  // Splits the line; false if it is composed in another way. Of two times the inner one counts, unless only the outer
  // one has a zone; of two levels, the inner one.
  bool Match(std::string_view line, LogHeader* header);

 private:
  bool MatchFrom(const std::vector<LayoutStep>& steps, size_t step, size_t at, std::string_view line, size_t* end,
                 LogHeader* header);
  bool MatchAfter(std::string_view line, LogHeader* header);
};

}  // namespace sparkprof
