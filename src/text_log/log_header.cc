// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_header.h"

#include <algorithm>
#include <cctype>

#include "base/characters.h"
#include "base/text.h"

namespace sparkprof {
namespace {

// Maximum distance of the level from the line's start: thread names can be long.
constexpr size_t kMaxHeader = 256;
constexpr size_t kMaxLevel = 12;  // and the colon after it

bool IsLoggerCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_' || c == '$' || c == '/' || c == '-' ||
         c == '@';
}

size_t SkipSeparators(std::string_view line, size_t at) {
  while (at < line.size() && (line[at] == ' ' || line[at] == '\t' || line[at] == '-' || line[at] == '|')) ++at;
  return at;
}

// The end of the bracket that opens at `at`; npos if it does not close.
size_t BracketEndInHeader(std::string_view line, size_t at) {
  const char open = line[at];
  const char close = open == '[' ? ']' : open == '(' ? ')' : '}';
  int depth = 0;
  const size_t end = std::min(line.size(), at + kMaxHeader);
  for (size_t i = at; i < end; ++i) {
    if (line[i] == open) ++depth;
    if (line[i] == close && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// The position of a word that is a level, with a blank or bracket on both sides, from `at` on.
size_t FindLevel(std::string_view line, size_t at, size_t* size) {
  const size_t end = std::min(line.size(), at + kMaxHeader);
  for (size_t begin = at; begin < end; ++begin) {
    if (!IsUpper(line[begin]) || (begin > at && line[begin - 1] != ' ' && line[begin - 1] != '[')) continue;
    size_t stop = begin + 1;
    while (stop < line.size() && IsUpper(line[stop])) ++stop;
    if (stop < line.size() && line[stop] != ' ' && line[stop] != ']' && line[stop] != ':' && line[stop] != '\t')
      continue;
    if (LogLevelOf(line.substr(begin, stop - begin)) == LogLevel::kNone) continue;
    *size = stop - begin;
    return begin;
  }
  return std::string_view::npos;
}

// After the level: thread or place in brackets, then "logger: ", "logger - ", "logger:54 - ", "logger (File:54) - ".
size_t ParseLogger(std::string_view line, size_t at, LogHeader* header) {
  if (line.substr(at, 3) == " - ") return at + 3;  // no logger
  at = SkipSeparators(line, at);
  // Spring Boot: "12345 --- [etl] [  main] logger   : ", with the application only from version 3.2 on.
  size_t process_end = at;
  while (process_end < line.size() && IsDigit(line[process_end])) ++process_end;
  const bool is_spring = process_end > at && line.substr(process_end, 5) == " --- ";
  if (is_spring) at = process_end + 5;
  while (at < line.size() && (line[at] == '[' || line[at] == '{')) {
    const size_t close = BracketEndInHeader(line, at);
    if (close == std::string_view::npos || close + 1 >= line.size() || line[close + 1] != ' ') return at;
    if ((header->thread.empty() || is_spring) && line[at] == '[')
      header->thread = Trim(line.substr(at + 1, close - at - 1));
    at = SkipSeparators(line, close + 1);
  }
  size_t end = at;
  while (end < line.size() && IsLoggerCharacter(line[end])) ++end;
  if (end == at || end == line.size()) return at;
  const std::string_view logger = line.substr(at, end - at);
  size_t next = end;
  if (line[next] == ':') {
    if (next + 1 == line.size() || line[next + 1] == ' ') {  // "logger: "
      header->logger = logger;
      return std::min(next + 2, line.size());
    }
    size_t digits = next + 1;
    while (digits < line.size() && IsDigit(line[digits])) ++digits;
    if (digits == next + 1) return at;
    next = digits;  // "logger:54"
  }
  if (next + 1 < line.size() && line[next] == ' ' && (line[next + 1] == '(' || line[next + 1] == '[')) {
    const size_t close = BracketEndInHeader(line, next + 1);
    if (close == std::string_view::npos) return at;
    if (header->thread.empty() && line[next + 1] == '[') header->thread = line.substr(next + 2, close - next - 2);
    next = close + 1;
  }
  if (is_spring) next = std::min(line.find_first_not_of(' ', next), line.size());
  if (line.substr(next, 2) == ": " || line.substr(next, 2) == "] ")
    next += 2;
  else if (line.substr(next, 3) == " - " || line.substr(next, 3) == " : ")
    next += 3;
  else if (line.substr(next) == " -" || line.substr(next) == ":")
    next = line.size();
  else
    return at;
  header->logger = logger;
  return next;
}

// After the level, with bars between: the thread, then the message and its place, or the logger and the message. False
// if there are not as many bars.
bool ParseColumns(std::string_view line, size_t at, LogHeader* header) {
  constexpr std::string_view kBar = " | ";
  const size_t blanks = line.find_first_not_of(' ', at);
  if (blanks == std::string_view::npos || blanks == at || line.substr(blanks - 1, kBar.size()) != kBar) return false;
  const size_t thread = blanks - 1 + kBar.size();
  const size_t after_thread = line.find(kBar, thread);
  if (after_thread == std::string_view::npos || after_thread - thread > kMaxHeader) return false;
  const size_t next = after_thread + kBar.size(), last = line.rfind(kBar), first = line.find(kBar, next);
  if (first == std::string_view::npos) return false;
  const auto is_name = [](std::string_view text) {
    return text.find('.') != std::string_view::npos && std::all_of(text.begin(), text.end(), IsLoggerCharacter);
  };
  header->thread = line.substr(thread, after_thread - thread);
  if (header->thread.starts_with('[') && header->thread.ends_with(']'))
    header->thread = header->thread.substr(1, header->thread.size() - 2);
  const std::string_view place = line.substr(last + kBar.size());
  const std::string_view method = place.substr(0, place.find('('));
  if (place.ends_with(')') && is_name(method)) {
    header->logger = method.substr(0, method.rfind('.'));
    header->message = next;
    header->message_end = last;
  } else if (is_name(line.substr(next, first - next))) {
    header->logger = line.substr(next, first - next);
    header->message = first + kBar.size();
  } else {
    header->thread = {};
    return false;
  }
  return true;
}

// The size of the class in "org.apache.spark.SparkContext logInfo", 0 if the text is something else.
size_t ClassAndMethod(std::string_view text) {
  size_t blank = 0;
  while (blank < text.size() && IsLoggerCharacter(text[blank])) ++blank;
  if (blank >= text.size() || text[blank] != ' ' || text.substr(0, blank).find('.') == std::string_view::npos) return 0;
  size_t end = blank + 1;
  while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_' ||
                               text[end] == '$' || text[end] == '<' || text[end] == '>')) {
    ++end;
  }
  return end == text.size() && end > blank + 1 ? blank : 0;
}

}  // namespace

LogLevel LogLevelOf(std::string_view word) {
  switch (word.size()) {
    case 4:
      if (word == "INFO") return LogLevel::kInfo;
      if (word == "WARN") return LogLevel::kWarn;
      if (word == "FINE") return LogLevel::kDebug;
      break;
    case 5:
      if (word == "ERROR") return LogLevel::kError;
      if (word == "DEBUG") return LogLevel::kDebug;
      if (word == "TRACE") return LogLevel::kTrace;
      if (word == "FATAL") return LogLevel::kFatal;
      if (word == "FINER") return LogLevel::kTrace;
      if (word == "ALERT") return LogLevel::kFatal;
      break;
    case 6:
      if (word == "SEVERE") return LogLevel::kError;
      if (word == "FINEST") return LogLevel::kTrace;
      if (word == "CONFIG") return LogLevel::kDebug;
      if (word == "NOTICE") return LogLevel::kInfo;
      break;
    case 7:
      if (word == "WARNING") return LogLevel::kWarn;
      break;
    case 8:
      if (word == "CRITICAL") return LogLevel::kFatal;
      break;
    default:
      break;
  }
  return LogLevel::kNone;
}

bool LogHeaderParser::ParseSecond(std::string_view line, LogHeader* header) {
  const size_t colon = line.substr(0, kMaxLevel).find(": ");
  if (colon == std::string_view::npos) return false;
  const LogLevel level = LogLevelOf(line.substr(0, colon));
  if (level == LogLevel::kNone) return false;
  header->level = level;
  header->message = colon + 2;
  return true;
}

bool LogHeaderParser::Parse(std::string_view line, LogHeader* header, bool may_lack_time) {
  if (!ParseOne(line, header, may_lack_time)) return false;
  const size_t at = header->message;
  if (at >= line.size() || !IsDigit(line[at]) || header->logger.empty() || header->is_first_of_two) return true;
  LogHeader inner;
  if (ParseOne(line.substr(at), &inner, false) && inner.level != LogLevel::kNone && !inner.logger.empty()) {
    if (!inner.time.has_zone && header->time.has_zone) inner.time = header->time;
    inner.message += at;
    if (inner.message_end != std::string_view::npos) inner.message_end += at;
    *header = inner;
  }
  return true;
}

bool LogHeaderParser::ParseOne(std::string_view line, LogHeader* header, bool may_lack_time) {
  *header = {};
  if (line.size() < 8) return false;
  size_t at = 0;
  if (IsUpper(line[0]) || (line[0] == '[' && IsUpper(line[1]))) {
    // The level comes first: requires a time, or Python's "LEVEL:logger:message".
    const size_t begin = line[0] == '[' ? 1 : 0;
    size_t end = begin;
    while (end < line.size() && IsUpper(line[end])) ++end;
    header->level = LogLevelOf(line.substr(begin, end - begin));
    if (header->level != LogLevel::kNone) {
      if (begin == 0 && end + 1 < line.size() && line[end] == ':' && line[end + 1] != ' ') {
        size_t stop = end + 1;
        while (stop < line.size() && IsLoggerCharacter(line[stop])) ++stop;
        if (stop == end + 1 || stop >= line.size() || line[stop] != ':') return false;
        header->logger = line.substr(end + 1, stop - end - 1);
        header->message = stop + 1;
        return true;
      }
      if (begin == 1) end = std::min(line.find_first_not_of(' ', end), line.size());  // "[INFO ]"
      at = SkipSeparators(line, end + begin);
      const bool has_bracket = at < line.size() && line[at] == '[';
      header->time = times_.Parse(line.substr(std::min(line.size(), at + (has_bracket ? 1 : 0))));
      if (header->time.size == 0) {
        if (!may_lack_time || end >= line.size() || line[end] != ' ') return false;
        header->message = ParseLogger(line, end, header);
        return true;
      }
      at += header->time.size + (has_bracket ? 1 : 0);
      if (has_bracket && at < line.size() && line[at] == ']') ++at;
      header->message = ParseLogger(line, at, header);
      return true;
    }
    // No level, but perhaps a month's name.
  }
  const bool has_bracket = line[at] == '[';
  at += has_bracket ? 1 : 0;
  if (!IsDigit(line[at]) && !IsUpper(line[at])) return false;
  header->time = times_.Parse(line.substr(at));
  if (header->time.size == 0) return false;
  at += header->time.size;
  if (has_bracket) {
    // "[time]text" without a blank is YARN's diagnostics of a container, part of another message.
    if (at + 1 >= line.size() || line[at] != ']' || line[at + 1] != ' ') return false;
    ++at;
  }
  return ParseAfterTime(line, at, header);
}

bool LogHeaderParser::ParseAfterTime(std::string_view line, size_t at, LogHeader* header) {
  if (at >= line.size() ||
      (line[at] != ' ' && line[at] != '\t' && line[at] != ':' && line[at] != '|' && line[at] != ']')) {
    return false;
  }
  at = SkipSeparators(line, at + (line[at] == ':' ? 1 : 0));
  // The usual case at once: the level follows.
  if (at < line.size() && IsUpper(line[at])) {
    size_t end = at + 1;
    while (end < line.size() && IsUpper(line[end])) ++end;
    if (end < line.size() && (line[end] == ' ' || line[end] == ':')) {
      header->level = LogLevelOf(line.substr(at, end - at));
      if (header->level != LogLevel::kNone) {
        if (ParseColumns(line, end, header)) return true;
        header->message = ParseLogger(line, end + (line[end] == ':' ? 1 : 0), header);
        return true;
      }
    }
  }
  // A second time: kubectl's or another collector's before the record's own. The first one has a zone.
  if (at < line.size() && IsDigit(line[at]) && header->time.has_zone) {
    LogHeader inner;
    if (LogHeaderParser().Parse(line.substr(at), &inner) && inner.time.size > 0 && inner.level != LogLevel::kNone) {
      inner.time = header->time;
      inner.message += at;
      *header = inner;
      return true;
    }
  }
  size_t size = 0;
  const size_t level = FindLevel(line, at, &size);
  if (level == std::string_view::npos) {
    if (const size_t blank = ClassAndMethod(line.substr(at)); blank > 0) {
      header->logger = line.substr(at, blank);
      header->message = line.size();
      header->is_first_of_two = true;
      return true;
    }
    // A time and a text: a record only if the time has a zone or the text names its class (Uber's agent).
    if (at >= line.size() || !header->time.has_zone) return false;
    header->message = ParseLogger(line, at, header);
    return true;
  }
  header->level = LogLevelOf(line.substr(level, size));
  std::string_view between = line.substr(at, level - at);
  while (!between.empty() && (between.back() == ' ' || between.back() == '-' || between.back() == '[')) {
    between.remove_suffix(1);
  }
  size_t after = level + size;
  if (after < line.size() && (line[after] == ']' || line[after] == ':')) ++after;
  if (between.starts_with('[') || between.starts_with('{')) {
    const size_t close = BracketEndInHeader(between, 0);
    if (close != std::string_view::npos) {
      if (between[0] == '[') header->thread = between.substr(1, close - 1);
      between.remove_prefix(close + 1);
      while (between.starts_with(' ')) between.remove_prefix(1);
    }
  }
  // Python's "name - LEVEL - message", or a thread's name with blanks in it.
  const bool names_logger = line.substr(after, 3) == " - " && line.substr(at, level - at).ends_with(" - ");
  if (names_logger) {
    header->logger = between;
    header->message = after + 3;
    return true;
  }
  if (header->thread.empty()) header->thread = between;
  header->message = ParseLogger(line, after, header);
  return true;
}

}  // namespace sparkprof
