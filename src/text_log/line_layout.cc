// SPDX-License-Identifier: Apache-2.0
#include "text_log/line_layout.h"

#include <algorithm>
#include <array>

#include "base/text/characters.h"
#include "base/text/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxParts = 96;

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// Bytes of names; others separate them.
bool IsWordByte(char c) {
  static constexpr std::array<bool, 256> kIsWord = [] {
    std::array<bool, 256> is_word{};
    for (size_t byte = 0; byte < is_word.size(); ++byte)
      is_word[byte] = byte >= 0x80 || IsAlnum(static_cast<char>(byte));
    for (const char other : std::string_view("._$/-")) is_word[static_cast<uint8_t>(other)] = true;
    return is_word;
  }();
  return kIsWord[static_cast<uint8_t>(c)];
}

// The end of the bytes from `at` on that are of a class.
template <bool (*kIsOfClass)(char)>
size_t RunEnd(std::string_view line, size_t at, size_t end) {
  while (at < end && kIsOfClass(line[at])) ++at;
  return at;
}

char ClosingBracket(char open) {
  constexpr std::string_view kOpen = "[({<", kClose = "])}>";
  const size_t found = kOpen.find(open);
  return found == std::string_view::npos ? '\0' : kClose[found];
}

// The end of the bracket that opens at `at`; npos if it does not close before `end`.
size_t CloseOf(std::string_view line, size_t at, size_t end) {
  const char open = line[at], close = ClosingBracket(open);
  int depth = 0;
  for (size_t i = at; close != '\0' && i < std::min(end, at + kMaxHeader); ++i) {
    if (line[i] == open) ++depth;
    if (line[i] == close && --depth == 0) return i;
  }
  return std::string_view::npos;
}

// A word that is a level; in lower case only behind a mark: "[info]", "level=info".
bool IsLevel(std::string_view line, size_t begin, size_t end, bool any_case) {
  const std::string_view word = line.substr(begin, end - begin);
  if (word.size() < 3 || LogLevelOf(word) == LogLevel::kNone) return false;
  return any_case || (begin > 0 && std::string_view("[(<=\"|").find(line[begin - 1]) != std::string_view::npos) ||
         std::all_of(word.begin(), word.end(), IsUpper);
}

bool HoldsTimeOrLevel(std::string_view line, size_t begin, size_t end) {
  for (size_t at = begin, stop = begin; at < end; at = std::max(at + 1, stop)) {
    stop = RunEnd<IsWordByte>(line, at, end);
    if (stop == at) continue;
    if (LogTimeParser().Parse(line.substr(at, end + 1 - at)).size > 0 || IsLevel(line, at, stop, false)) return true;
  }
  return false;
}

void TakeName(const LinePart& part, std::string_view name, LogHeader* header) {
  if (part.role == PartRole::kThread) header->thread = name;
  if (part.role == PartRole::kLogger) header->logger = part.has_method ? name.substr(0, name.rfind('.')) : name;
}

}  // namespace

LogLevel LogLevelOf(std::string_view word) {
  constexpr size_t kMaxName = 13;
  constexpr std::string_view kNames[] = {" t trace trc finer finest verbose ",
                                         " d debug dbg debu fine config ",
                                         " i info inf information informational infos notice ",
                                         " w warn warning wrn warnung avertissement advertencia ",
                                         " e error err erro severe grave schwerwiegend ",
                                         " f fatal ftl fata critical crit alert emergency emerg panic "};
  if (word == "INFO") return LogLevel::kInfo;
  if (word.empty() || word.size() > kMaxName || !std::all_of(word.begin(), word.end(), IsLetter))
    return LogLevel::kNone;
  if (word.size() == 1 && !IsUpper(word[0])) return LogLevel::kNone;
  const std::string name = " " + ToLowerAscii(word) + " ";
  for (size_t level = 0; level < std::size(kNames); ++level) {
    if (kNames[level].find(name) != std::string_view::npos) return static_cast<LogLevel>(level + 1);
  }
  return LogLevel::kNone;
}

std::vector<LinePart> PartsOf(std::string_view line, size_t begin, size_t end, bool any_case) {
  std::vector<LinePart> parts;
  LogTimeParser times;
  for (size_t at = begin; at < end && parts.size() < kMaxParts;) {
    const char c = line[at];
    PartKind kind = PartKind::kMark;
    size_t stop = at + 1;
    if (IsBlank(c)) {
      kind = PartKind::kBlank;
      stop = RunEnd<IsBlank>(line, at, end);
    } else if (IsWordByte(c)) {
      const LogTime time = times.Parse(line.substr(at));
      const size_t word_end = RunEnd<IsWordByte>(line, at, end);
      if (time.size > 0 && at + time.size <= end) {
        kind = PartKind::kTime;
        stop = at + time.size;
      } else if (IsAlnum(c) || stop == end || !IsDigit(line[stop])) {
        stop = word_end;
        const std::string_view word = line.substr(at, stop - at);
        if (IsDigits(word))
          kind = PartKind::kNumber;
        else if (IsLevel(line, at, stop, any_case))
          kind = PartKind::kLevel;
        else if (std::any_of(word.begin(), word.end(), IsAlnum))
          kind = PartKind::kWord;
      }
    } else if (const size_t close = CloseOf(line, at, end); close != std::string_view::npos &&
                                                            (stop == close || ClosingBracket(line[stop]) == '\0') &&
                                                            !HoldsTimeOrLevel(line, stop, close)) {
      parts.push_back({kind, at, stop});
      parts.push_back({PartKind::kText, stop, close});
      at = close;
      stop = close + 1;
    }
    parts.push_back({kind, at, stop});
    at = stop;
  }
  return parts;
}

bool LineLayout::MatchFrom(const std::vector<LinePart>& parts, size_t part, size_t at, std::string_view line,
                           size_t* end, LogHeader* header) {
  for (; part < parts.size(); ++part) {
    const LinePart& wanted = parts[part];
    size_t stop = at;
    if (!wanted.literal.empty()) {
      const std::string_view literal = wanted.literal, rest = line.substr(at);
      // Editors remove blanks at the end of a line.
      const bool is_trimmed = part + 1 == parts.size() && literal.back() == ' ' && rest.size() + 1 == literal.size();
      if (!(is_trimmed ? literal.starts_with(rest) : rest.starts_with(literal))) return false;
      at = is_trimmed ? line.size() : at + literal.size();
      continue;
    }
    switch (wanted.kind) {
      case PartKind::kMark:
      case PartKind::kBlank:
        stop = RunEnd<IsBlank>(line, at, line.size());
        break;
      case PartKind::kTime: {
        const LogTime time = times[wanted.parser].Parse(line.substr(at));
        if (header->time.size == 0 || time.has_zone || !header->time.has_zone) header->time = time;
        stop = at + time.size;
        break;
      }
      case PartKind::kLevel:
        stop = RunEnd<IsLetter>(line, at, line.size());
        header->level = LogLevelOf(line.substr(at, stop - at));
        if (header->level == LogLevel::kNone || (stop == at + 1 && !wanted.is_optional)) return false;
        if (stop < line.size() && IsWordByte(line[stop])) return false;
        break;
      case PartKind::kNumber:
        stop = RunEnd<IsDigit>(line, at, line.size());
        break;
      case PartKind::kWord:
        stop = RunEnd<IsWordByte>(line, at, line.size());
        break;
      case PartKind::kText: {
        const size_t last = std::min(line.size(), at + kMaxHeader);
        LogHeader rest = *header;
        for (; stop < last && !MatchFrom(parts, part + 1, stop, line, end, &rest); ++stop) rest = *header;
        if (stop >= last) return false;
        *header = rest;
        TakeName(wanted, Trim(line.substr(at, stop - at)), header);
        return true;
      }
    }
    if (stop == at && !wanted.is_optional) return false;
    TakeName(wanted, line.substr(at, stop - at), header);
    at = stop;
  }
  *end = at;
  return true;
}

// The last place where the parts behind the message lead to the end of the line.
bool LineLayout::MatchBehind(std::string_view line, LogHeader* header) {
  constexpr int kMaxTries = 8;
  const std::string_view begin = behind.front().literal;
  while (line.ends_with(' ')) line.remove_suffix(1);
  size_t found = line.size();
  for (int tries = 0; tries < kMaxTries && found > 0; ++tries) {
    found = line.rfind(begin, found - 1);
    if (found == std::string_view::npos || found < header->message || line.size() - found > kMaxHeader) return false;
    size_t end = 0;
    LogHeader whole = *header;
    if (!MatchFrom(behind, 0, found, line, &end, &whole) || end < line.size()) continue;
    *header = whole;
    header->message_end = found;
    return true;
  }
  return false;
}

bool LineLayout::Match(std::string_view line, LogHeader* header) {
  *header = {};
  size_t message = 0;
  if (!MatchFrom(before, 0, 0, line, &message, header)) return false;
  header->message = message;
  header->message_end = line.size();
  header->is_first_of_two = is_first_of_two;
  if (is_first_of_two && message < line.size()) return false;
  if (!behind.empty() && !MatchBehind(line, header)) return false;
  ++uses;
  return true;
}

}  // namespace sparkprof
