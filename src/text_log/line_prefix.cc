// SPDX-License-Identifier: Apache-2.0
#include "text_log/line_prefix.h"

#include <algorithm>
#include <cctype>

#include "base/characters.h"

namespace sparkprof {
namespace {

constexpr size_t kNone = std::string_view::npos;
constexpr size_t kMaxKnown = 256;
constexpr size_t kMaxTried = 1000;  // as long as no prefix is known, later lines have none
constexpr int kMaxNested = 4;

bool IsPrefixNameCharacter(char c) { return IsDigit(c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.' || c == '_'; }

// The position after `count` blanks from `at` on, with a word before each; kNone if the line has fewer.
size_t SkipWords(std::string_view line, size_t at, int count) {
  for (; count > 0; --count) {
    const size_t blank = line.find(' ', at);
    if (blank == kNone || blank == at) return kNone;
    at = blank + 1;
  }
  return at;
}

// The end of "host tag[123]: " or "host tag: " at `at`; kNone if it is not there.
size_t HostAndTag(std::string_view line, size_t at, bool needs_number) {
  const size_t tag = SkipWords(line, at, 1);
  if (tag == kNone || LogLevelOf(line.substr(at, tag - at - 1)) != LogLevel::kNone) return kNone;
  size_t end = tag;
  while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '-' ||
                               line[end] == '_' || line[end] == '.' || line[end] == '/')) {
    ++end;
  }
  if (end == tag) return kNone;
  if (end < line.size() && line[end] == '[') {
    const size_t digits = end + 1;
    for (end = digits; end < line.size() && IsDigit(line[end]); ++end) {
    }
    if (end == digits || end >= line.size() || line[end] != ']') return kNone;
    ++end;
  } else if (needs_number) {
    return kNone;
  }
  if (end >= line.size() || line[end] != ':') return kNone;
  return std::min(line.size(), end + 1 + (line.substr(end + 1, 1) == " " ? 1 : 0));
}

// RFC 5424's structured data at `at`, "-" or "[id name=\"value\"]", and the blank after it.
size_t AfterStructuredData(std::string_view line, size_t at) {
  if (line.substr(at, 1) == "-") return std::min(line.size(), at + 2);
  while (at < line.size() && line[at] == '[') {
    const size_t close = line.find(']', at);
    if (close == kNone) return kNone;
    at = close + 1;
  }
  return std::min(line.size(), at + 1);
}

}  // namespace

// "Jan 15 11:59:52 host tag: ", perhaps after "<14>", without a year; or RFC 5424's.
size_t LinePrefix::SyslogSize(std::string_view line, LogTime* time) {
  constexpr size_t kTimeSize = 15;
  size_t at = 0;
  if (line.starts_with('<')) {
    while (++at < line.size() && IsDigit(line[at])) {
    }
    if (at < 2 || at > 4 || line.substr(at, 1) != ">") return 0;
    ++at;
    if (line.substr(at, 2) == "1 ") {
      LogTime its_own = times_.Parse(line.substr(at + 2));
      const size_t data = its_own.size == 0 ? kNone : SkipWords(line, at + 2, 5);
      const size_t end = data == kNone ? kNone : AfterStructuredData(line, data);
      if (end == kNone) return 0;
      *time = its_own;
      return end;
    }
  }
  if (at + kTimeSize >= line.size() || !IsUpper(line[at]) || line[at + 3] != ' ' || line[at + 6] != ' ' ||
      line[at + 9] != ':' || line[at + kTimeSize] != ' ') {
    return 0;
  }
  std::string with_year(line.substr(at, 7));  // as "Jan 15, 1972", a leap year
  with_year.erase(4, with_year[4] == ' ' ? 1 : 0);
  with_year.back() = ',';
  with_year.append(" 1972 ").append(line.substr(at + 7, 8));
  LogTime its_own = times_.Parse(with_year);
  const size_t end = its_own.size != with_year.size() ? kNone : HostAndTag(line, at + kTimeSize + 1, false);
  if (end == kNone) return 0;
  its_own.missing = MissingDate::kYear;
  *time = its_own;
  return end;
}

size_t LinePrefix::TimestampSize(std::string_view line, LogTime* time) {
  constexpr size_t kShortest = 21;  // "2024-01-15T11:59:52Z "
  if (line.size() < kShortest || line[10] != 'T' || line[4] != '-' || line[13] != ':') return 0;
  const LogTime its_own = times_.Parse(line);
  if (!its_own.has_zone || its_own.size >= line.size() || line[its_own.size] != ' ') return 0;
  const size_t after_time = its_own.size + 1;
  const size_t after_tag = HostAndTag(line, after_time, true);
  const size_t end = after_tag == kNone ? after_time : after_tag;
  if (after_tag == kNone && !IsKnown("timestamp", line.substr(end))) return 0;
  *time = its_own;
  return end;
}

size_t LinePrefix::AirflowSize(std::string_view line, LogTime* time) {
  const size_t close = line.find("] {");
  if (close == kNone || close > 48) return 0;
  const size_t colon = line.find(':', close), end_of_place = line.find("} ", close);
  if (colon == kNone || end_of_place == kNone || colon > end_of_place) return 0;
  const size_t separator = line.find(" - ", end_of_place);
  if (separator == kNone ||
      LogLevelOf(line.substr(end_of_place + 2, separator - end_of_place - 2)) == LogLevel::kNone) {
    return 0;
  }
  const LogTime its_own = times_.Parse(line.substr(1));
  if (its_own.size + 1 != close || !IsKnown(line.substr(close + 3, colon - close - 3), line.substr(separator + 3))) {
    return 0;
  }
  *time = its_own;
  return separator + 3;
}

// Names of a pod and its container, or of a service.
size_t LinePrefix::NameSize(std::string_view line) {
  if (line.starts_with("[pod/")) {
    const size_t close = line.find("] ");
    return close == kNone ? 0 : close + 2;
  }
  size_t end = 0;
  while (end < line.size() && IsPrefixNameCharacter(line[end])) ++end;
  if (end == 0 || end + 2 >= line.size() || line[end] != ' ') return 0;
  size_t rest = line.find_first_not_of(' ', end);
  if (rest == kNone) return 0;
  if (line[rest] == '|') {
    rest = std::min(line.size(), rest + 1 + (line.substr(rest + 1, 1) == " " ? 1 : 0));
  } else {
    const size_t container = rest;
    while (rest < line.size() && IsPrefixNameCharacter(line[rest])) ++rest;
    if (rest == container || line.substr(rest, 1) != " " || line.substr(0, end).find('-') == kNone) return 0;
    ++rest;
  }
  return IsKnown(line.substr(0, rest), line.substr(rest)) ? rest : 0;
}

// Whether a header followed the prefix with this key in a line so far, or does so in this one.
bool LinePrefix::IsKnown(std::string_view key, std::string_view rest) {
  if (known_.contains(key)) return true;
  if (known_.size() >= kMaxKnown || tried_ >= kMaxTried || depth_ >= kMaxNested) return false;
  LogTime time;
  ++depth_;
  const std::string_view inner = Remove(rest, &time);
  --depth_;
  LogHeader header;
  const bool is_object = inner.starts_with("{\"") && inner.ends_with('}');
  if (!is_object && (!headers_.Parse(inner, &header) || header.level == LogLevel::kNone || header.time.size == 0)) {
    ++tried_;
    return false;
  }
  known_.emplace(key);
  return true;
}

std::string_view LinePrefix::Remove(std::string_view line, LogTime* time) {
  *time = {};
  for (int nested = 0; nested < kMaxNested && !line.empty(); ++nested) {
    size_t size = 0;
    const char first = line[0];
    if (IsDigit(first)) size = TimestampSize(line, time);
    if (size == 0 && first == '[') size = AirflowSize(line, time);
    if (size == 0 && (first == '<' || IsUpper(first))) size = SyslogSize(line, time);
    if (size == 0 && (first == '[' || IsPrefixNameCharacter(first))) size = NameSize(line);
    if (size == 0) return line;
    line.remove_prefix(size);
  }
  return line;
}

}  // namespace sparkprof
