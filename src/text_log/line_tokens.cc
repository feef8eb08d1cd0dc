// SPDX-License-Identifier: Apache-2.0
#include "text_log/line_tokens.h"

#include <algorithm>

#include "base/characters.h"
#include "text_log/line_layout.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxTokens = 96;

char ClosingBracket(char open) {
  constexpr std::string_view kOpen = "[({<", kClose = "])}>";
  const size_t found = kOpen.find(open);
  return found == kNoToken ? '\0' : kClose[found];
}

// The end of the bracket that opens at `at`; kNoToken if it does not close before `end`.
size_t CloseOf(std::string_view line, size_t at, size_t end) {
  const char open = line[at], close = ClosingBracket(open);
  int depth = 0;
  for (size_t i = at; i < std::min(end, at + kMaxHeader); ++i) {
    if (line[i] == open) ++depth;
    if (line[i] == close && --depth == 0) return i;
  }
  return kNoToken;
}

size_t WordEnd(std::string_view line, size_t at, size_t end) {
  while (at < end && IsWordByte(line[at])) ++at;
  return at;
}

// A level in a text. Words in lower case are levels only behind a mark: "[info]", "level=info".
bool IsLevel(std::string_view line, size_t begin, size_t end, bool any_case) {
  const std::string_view word = line.substr(begin, end - begin);
  if (word.size() < 3 || !IsLetter(word[0]) || LogLevelOf(word) == LogLevel::kNone) return false;
  const bool is_marked = begin > 0 && std::string_view("[(<=\"|").find(line[begin - 1]) != kNoToken;
  return any_case || is_marked || std::all_of(word.begin(), word.end(), IsUpper);
}

// Whether a time or a level is between brackets.
bool HoldsTimeOrLevel(std::string_view line, size_t begin, size_t end) {
  for (size_t at = begin; at < end;) {
    const size_t stop = WordEnd(line, at, end);
    if (stop == at) {
      ++at;
      continue;
    }
    if (LogTimeParser().Parse(line.substr(at, end + 1 - at)).size > 0 || IsLevel(line, at, stop, false)) return true;
    at = stop;
  }
  return false;
}

// Tokens of a line and what may stand behind its time and level.
class Guesser {
 public:
  explicit Guesser(std::string_view line)
      : line_(line), tokens_(Tokenize(line, 0, std::min(line.size(), kMaxHeader), false)) {}

  std::optional<GuessedHeader> Guess(bool may_lack_time) const {
    constexpr int kMaxNested = 4;
    std::optional<GuessedHeader> found;
    size_t at = 0;
    for (int nested = 0; nested < kMaxNested; ++nested) {
      const std::optional<GuessedHeader> next = GuessAt(&at);
      // The message of a program that passes lines on may be such a line itself.
      if (nested > 0 && (!next || !next->has_logger)) return found;
      if (!next) return GuessWithoutTime(may_lack_time);
      found = next;
    }
    return found;
  }

 private:
  bool Is(size_t i, TokenKind kind) const { return i < tokens_.size() && tokens_[i].kind == kind; }
  std::string_view Text(size_t i) const { return line_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin); }
  bool IsMark(size_t i, std::string_view marks) const {
    return Is(i, TokenKind::kMark) && Text(i).size() == 1 && marks.find(Text(i)) != kNoToken;
  }
  bool EndsOrBlank(size_t i) const { return i >= tokens_.size() || Is(i, TokenKind::kBlank); }
  // "[main]" from token `i` on.
  bool IsBracketed(size_t i) const {
    return Is(i, TokenKind::kMark) && Is(i + 1, TokenKind::kText) && Is(i + 2, TokenKind::kMark);
  }
  // "-", "--", "---" and "|", between blanks.
  bool IsSeparator(size_t i) const {
    return IsMark(i, "|") ||
           (Is(i, TokenKind::kMark) && Text(i).find_first_not_of('-') == kNoToken && EndsOrBlank(i + 1));
  }

  // Behind token `i` and one blank.
  GuessedHeader Behind(size_t i, bool has_logger) const {
    const size_t end = tokens_[i].end;
    return {.message = end + (line_.substr(end, 1) == " " ? 1 : 0), .has_logger = has_logger};
  }
  GuessedHeader At(size_t i, bool has_logger) const {
    return {.message = i < tokens_.size() ? tokens_[i].begin : line_.size(), .has_logger = has_logger};
  }

  // From the token of a time on, or a level and a time, with `at` moved to the token of the message.
  std::optional<GuessedHeader> GuessAt(size_t* at) const {
    size_t time = *at, level = kNoToken;
    for (; time < tokens_.size() && !Is(time, TokenKind::kTime); ++time) {
      if (Is(time, TokenKind::kLevel)) level = time;
      if (!Is(time, TokenKind::kLevel) && !Is(time, TokenKind::kBlank) && !Is(time, TokenKind::kMark))
        return std::nullopt;
    }
    if (time == tokens_.size()) return std::nullopt;
    size_t next = time + 1;
    const bool is_bracketed = IsMark(next, "])>}");
    while (IsMark(next, "])>}\"':,")) ++next;
    if (is_bracketed && !EndsOrBlank(next) && !Is(next, TokenKind::kMark))
      return std::nullopt;  // part of another message
    if (level == kNoToken) level = LevelBehind(&time, &next);
    std::optional<GuessedHeader> header;
    if (level != kNoToken) {
      header = Tail(std::max(next, level + 1));
    } else if (LogTimeParser().Parse(line_.substr(tokens_[time].begin)).has_zone && next < tokens_.size()) {
      header = Tail(next);
    } else if (IsClassAndMethod(next)) {
      header = {.message = line_.size(), .has_logger = true, .is_first_of_two = true};
    }
    if (!header) return std::nullopt;
    const auto behind = std::find_if(tokens_.begin(), tokens_.end(),
                                     [&](const Token& token) { return token.begin >= header->message; });
    *at = static_cast<size_t>(behind - tokens_.begin());
    return header;
  }

  // The token of the level behind a time, perhaps behind a thread's name; kNoToken without one. A time between them is
  // that of the line, the one before it another program's.
  size_t LevelBehind(size_t* time, size_t* next) const {
    for (size_t i = *next; i < tokens_.size(); ++i) {
      if (Is(i, TokenKind::kTime)) {
        *time = i;
        *next = i + 1;
      }
      const bool is_apart = i > 0 && (Is(i - 1, TokenKind::kBlank) || IsMark(i - 1, "[(<|=\":"));
      if (Is(i, TokenKind::kLevel) && is_apart && (EndsOrBlank(i + 1) || IsMark(i + 1, "])>|:\","))) return i;
    }
    return kNoToken;
  }

  // "org.apache.spark.SparkContext logInfo" up to the end of the line.
  bool IsClassAndMethod(size_t i) const {
    return Is(i, TokenKind::kBlank) && Is(i + 1, TokenKind::kWord) && Is(i + 2, TokenKind::kBlank) &&
           Is(i + 3, TokenKind::kWord) && i + 4 == tokens_.size() && tokens_.back().end == line_.size() &&
           Text(i + 1).find('.') != kNoToken;
  }

  // Python's "WARNING:root:text"; "INFO Executor: text" where another program noted the time.
  std::optional<GuessedHeader> GuessWithoutTime(bool may_lack_time) const {
    if (Is(0, TokenKind::kLevel) && IsMark(1, ":") && Is(2, TokenKind::kWord) && IsMark(3, ":")) {
      return GuessedHeader{.message = tokens_[3].end, .has_logger = true};
    }
    const size_t level = IsMark(0, "[(<") ? 1 : 0;
    if (!may_lack_time || !Is(level, TokenKind::kLevel) || !(Is(level + 1, TokenKind::kBlank) || level == 1))
      return std::nullopt;
    return Tail(level + 1);
  }

  // Behind time and level: threads in brackets, numbers, columns, then the logger with its place, then the message.
  GuessedHeader Tail(size_t i) const {
    while (IsMark(i, "])>}\"':,")) ++i;
    if (Is(i, TokenKind::kBlank) && IsMark(i + 1, "-") && Is(i + 2, TokenKind::kBlank)) return Behind(i + 1, false);
    bool has_logger = false;
    for (;;) {
      while (Is(i, TokenKind::kBlank) || IsSeparator(i)) ++i;
      size_t next = i + 1;
      if (IsBracketed(i) && (EndsOrBlank(i + 3) || IsMark(i + 3, ":"))) {
        if (IsMark(i + 3, ":") && EndsOrBlank(i + 4)) return Behind(i + 3, has_logger);
        i += 3;
      } else if (Is(i, TokenKind::kNumber) && Is(next, TokenKind::kBlank) && IsSeparator(next + 1)) {
        i = next;
      } else if (Is(i, TokenKind::kWord)) {
        while (IsMark(next, ":") && (Is(next + 1, TokenKind::kWord) || Is(next + 1, TokenKind::kNumber))) next += 2;
        if (IsMark(next, ":") && EndsOrBlank(next + 1)) return Behind(next, true);
        if (Is(next, TokenKind::kBlank) && IsBracketed(next + 1)) next += 4;  // a place or a thread
        if (IsMark(next, ":]") && EndsOrBlank(next + 1)) return Behind(next, true);
        if (!Is(next, TokenKind::kBlank) || !(IsSeparator(next + 1) || IsMark(next + 1, ":"))) return At(i, has_logger);
        if (!IsMark(next + 1, "|")) return EndsOrBlank(next + 2) ? Behind(next + 1, true) : At(i, has_logger);
        has_logger = has_logger || IsClassLike(Text(i));
        i = next;
      } else {
        return At(i, has_logger);
      }
    }
  }

  std::string_view line_;
  std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> Tokenize(std::string_view line, size_t begin, size_t end, bool levels) {
  std::vector<Token> tokens;
  LogTimeParser times;
  for (size_t at = begin; at < end && tokens.size() < kMaxTokens;) {
    const char c = line[at];
    TokenKind kind = TokenKind::kMark;
    size_t stop = at + 1;
    if (c == ' ' || c == '\t') {
      kind = TokenKind::kBlank;
      while (stop < end && (line[stop] == ' ' || line[stop] == '\t')) ++stop;
    } else if (IsWordByte(c)) {
      const LogTime time = times.Parse(line.substr(at));
      const size_t word_end = WordEnd(line, at, end);
      const std::string_view word = line.substr(at, word_end - at);
      if (time.size > 0 && at + time.size <= end) {
        kind = TokenKind::kTime;
        stop = at + time.size;
      } else if (IsAlnum(c) || stop == end || !IsDigit(line[stop])) {
        stop = word_end;
        kind = IsDigits(word)                                   ? TokenKind::kNumber
               : IsLevel(line, at, word_end, levels)            ? TokenKind::kLevel
               : std::any_of(word.begin(), word.end(), IsAlnum) ? TokenKind::kWord
                                                                : TokenKind::kMark;
      }
    } else if (const size_t close = ClosingBracket(c) == '\0' ? kNoToken : CloseOf(line, at, end);
               close != kNoToken && (stop == close || ClosingBracket(line[stop]) == '\0') &&
               !HoldsTimeOrLevel(line, stop, close)) {
      tokens.push_back({kind, at, stop});
      tokens.push_back({TokenKind::kText, stop, close});
      at = close;
      stop = close + 1;
    }
    tokens.push_back({kind, at, stop});
    at = stop;
  }
  return tokens;
}

std::optional<GuessedHeader> GuessHeader(std::string_view line, bool may_lack_time) {
  constexpr size_t kMinLine = 8;
  return line.size() < kMinLine ? std::nullopt : Guesser(line).Guess(may_lack_time);
}

bool IsClassLike(std::string_view name) {
  if (name.find(' ') != kNoToken) return false;
  const size_t last = name.rfind('.') + 1;  // 0 without a dot
  const std::string_view begin = name.substr(last);
  const bool is_camel = !begin.empty() && IsUpper(begin[0]) && std::any_of(begin.begin(), begin.end(), IsLower) &&
                        begin.find('-') == kNoToken;
  return is_camel ||
         (std::count(name.begin(), name.end(), '.') >= 2 && IsLetter(name[0]) && name.find('/') == kNoToken);
}

}  // namespace sparkprof
