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
  size_t message = 0;            // offset in the line
  size_t message_end = 0;        // before what some layouts have behind the message
  bool is_first_of_two = false;  // java.util.logging's first line: the level and the message are in the next one
};

// Maximum size of what is before and behind a message: names of threads can be long.
inline constexpr size_t kMaxHeader = 512;

// The level that a word names in any case and in several languages, or with its first letter ("I", "W"); kNone for
// anything else.
LogLevel LogLevelOf(std::string_view word);

enum class PartKind : char {
  kBlank = ' ',
  kMark = '.',  // one byte that belongs to no word, or a word without letters and digits
  kTime = 'T',
  kLevel = 'L',
  kNumber = 'n',
  kWord = 'w',
  kText = 't',  // any words, between brackets or up to where the following parts match
};
enum class PartRole : uint8_t { kNone, kThread, kLogger };

// A part of what is before or behind a message.
struct LinePart {
  PartKind kind = PartKind::kBlank;
  size_t begin = 0;  // in the line that it is from
  size_t end = 0;
  PartRole role = PartRole::kNone;
  std::string literal;       // a mark's text, or constant blanks; empty for others
  bool is_optional = false;  // blanks; of a level: its first letter counts
  bool has_method = false;   // a logger's name ends with that of a method
  size_t parser = 0;         // a time's index in LineLayout::times
};

// The parts of line[begin, end), without roles. `any_case`: a word counts as a level whatever its case; otherwise only
// in upper case or behind a mark.
std::vector<LinePart> PartsOf(std::string_view line, size_t begin, size_t end, bool any_case);

// How the lines of a log are composed: applied to each of them. Not thread-safe.
struct LineLayout {
  std::vector<LinePart> before;  // the message
  std::vector<LinePart> behind;  // begins with a literal
  std::vector<LogTimeParser> times;
  bool is_first_of_two = false;
  bool is_guessed = false;  // from a line without a sentence of Spark
  size_t uses = 0;          // lines that it matched

  // Splits the line; false if it is composed in another way. Of two times the inner one counts, unless only the outer
  // one has a zone; of two levels, the inner one.
  bool Match(std::string_view line, LogHeader* header);

 private:
  bool MatchFrom(const std::vector<LinePart>& parts, size_t part, size_t at, std::string_view line, size_t* end,
                 LogHeader* header);
  bool MatchBehind(std::string_view line, LogHeader* header);
};

}  // namespace sparkprof
