// SPDX-License-Identifier: Apache-2.0
#include "text_log/header_guess.h"

#include <algorithm>
#include <vector>

#include "base/text/characters.h"
#include "text_log/line_layout.h"

namespace sparkprof {
namespace {

constexpr size_t kNoPart = std::string_view::npos;

// The parts of a line, and what may stand behind its time and level.
class Guesser {
 public:
  explicit Guesser(std::string_view line)
      : line_(line), parts_(PartsOf(line, 0, std::min(line.size(), kMaxHeader), false)) {}

  std::optional<GuessedHeader> Guess(bool may_lack_time) const {
    constexpr int kMaxNested = 4;
    size_t at = 0;
    std::optional<GuessedHeader> found = GuessAt(&at);
    if (!found) return GuessWithoutTime(may_lack_time);
    // The message of a program that passes lines on may be such a line itself.
    for (int nested = 1; nested < kMaxNested; ++nested) {
      const std::optional<GuessedHeader> inner = GuessAt(&at);
      if (!inner || !inner->has_logger) break;
      found = inner;
    }
    return found;
  }

 private:
  bool Is(size_t i, PartKind kind) const { return i < parts_.size() && parts_[i].kind == kind; }
  std::string_view Text(size_t i) const { return line_.substr(parts_[i].begin, parts_[i].end - parts_[i].begin); }
  bool IsMark(size_t i, std::string_view marks) const {
    return Is(i, PartKind::kMark) && Text(i).size() == 1 && marks.find(Text(i)) != kNoPart;
  }
  bool EndsOrBlank(size_t i) const { return i >= parts_.size() || Is(i, PartKind::kBlank); }
  // "[main]" from part `i` on.
  bool IsBracketed(size_t i) const { return Is(i, PartKind::kMark) && Is(i + 1, PartKind::kText); }
  // "-", "--" and "---" between blanks, and "|".
  bool IsSeparator(size_t i) const {
    return IsMark(i, "|") ||
           (Is(i, PartKind::kMark) && Text(i).find_first_not_of('-') == kNoPart && EndsOrBlank(i + 1));
  }

  // The message behind part `i` and one blank; at part `i`.
  GuessedHeader Behind(size_t i, bool has_logger) const {
    const size_t end = parts_[i].end;
    return {.message = end + (line_.substr(end, 1) == " " ? 1 : 0), .has_logger = has_logger};
  }
  GuessedHeader At(size_t i, bool has_logger) const {
    return {.message = i < parts_.size() ? parts_[i].begin : line_.size(), .has_logger = has_logger};
  }

  // From the part of a time on, or of a level and a time, with `at` moved to the part of the message.
  std::optional<GuessedHeader> GuessAt(size_t* at) const {
    size_t time = *at, level = kNoPart;
    for (; !Is(time, PartKind::kTime); ++time) {
      if (Is(time, PartKind::kLevel))
        level = time;
      else if (!Is(time, PartKind::kBlank) && !Is(time, PartKind::kMark))
        return std::nullopt;
    }
    size_t next = time + 1;
    const bool is_bracketed = IsMark(next, "])>}");
    while (IsMark(next, "])>}\"':,")) ++next;
    if (is_bracketed && !EndsOrBlank(next) && !Is(next, PartKind::kMark))
      return std::nullopt;  // belongs to another message
    if (level == kNoPart) level = LevelBehind(&time, &next);
    std::optional<GuessedHeader> header;
    if (level != kNoPart) {
      header = Tail(std::max(next, level + 1));
    } else if (LogTimeParser().Parse(line_.substr(parts_[time].begin)).has_zone && next < parts_.size()) {
      header = Tail(next);
    } else if (IsClassAndMethod(next)) {
      header = {.message = line_.size(), .has_logger = true, .is_first_of_two = true};
    }
    if (!header) return std::nullopt;
    *at = static_cast<size_t>(std::find_if(parts_.begin(), parts_.end(),
                                           [&](const LinePart& part) { return part.begin >= header->message; }) -
                              parts_.begin());
    return header;
  }

  // The level behind a time, perhaps behind a thread's name; kNoPart without one. A time between them is that of the
  // line, the one before it another program's.
  size_t LevelBehind(size_t* time, size_t* next) const {
    size_t inner = *time;
    for (size_t i = *next; i < parts_.size(); ++i) {
      if (Is(i, PartKind::kTime)) inner = i;
      const bool is_apart = Is(i - 1, PartKind::kBlank) || IsMark(i - 1, "[(<|=\":");
      if (!Is(i, PartKind::kLevel) || !is_apart || !(EndsOrBlank(i + 1) || IsMark(i + 1, "])>|\":,"))) continue;
      *next = std::max(*next, inner + 1);
      *time = inner;
      return i;
    }
    return kNoPart;
  }

  // "org.apache.spark.SparkContext logInfo" up to the end of the line.
  bool IsClassAndMethod(size_t i) const {
    return Is(i, PartKind::kBlank) && Is(i + 1, PartKind::kWord) && Is(i + 2, PartKind::kBlank) &&
           Is(i + 3, PartKind::kWord) && parts_[i + 3].end == line_.size() && Text(i + 1).find('.') != kNoPart;
  }

  // Python's "WARNING:root:text"; "INFO Executor: text" where another program noted the time.
  std::optional<GuessedHeader> GuessWithoutTime(bool may_lack_time) const {
    if (Is(0, PartKind::kLevel) && IsMark(1, ":") && Is(2, PartKind::kWord) && IsMark(3, ":"))
      return GuessedHeader{.message = parts_[3].end, .has_logger = true};
    const size_t level = IsMark(0, "[(<") ? 1 : 0;
    if (!may_lack_time || !Is(level, PartKind::kLevel) || !(Is(level + 1, PartKind::kBlank) || level == 1))
      return std::nullopt;
    return Tail(level + 1);
  }

  // Behind time and level: threads in brackets, numbers, columns, then the logger with its place, then the message.
  GuessedHeader Tail(size_t i) const {
    while (IsMark(i, "])>}\"':,")) ++i;
    if (Is(i, PartKind::kBlank) && IsMark(i + 1, "-") && Is(i + 2, PartKind::kBlank)) return Behind(i + 1, false);
    for (bool has_logger = false;;) {
      while (Is(i, PartKind::kBlank) || IsSeparator(i)) ++i;
      size_t next = i + 1;
      if (IsBracketed(i) && (EndsOrBlank(i + 3) || IsMark(i + 3, ":"))) {
        if (IsMark(i + 3, ":") && EndsOrBlank(i + 4)) return Behind(i + 3, has_logger);
        i += 3;
      } else if (Is(i, PartKind::kNumber) && Is(next, PartKind::kBlank) && IsSeparator(next + 1)) {
        i = next;
      } else if (Is(i, PartKind::kWord)) {
        while (IsMark(next, ":") && (Is(next + 1, PartKind::kWord) || Is(next + 1, PartKind::kNumber))) next += 2;
        if (Is(next, PartKind::kBlank) && IsBracketed(next + 1)) next += 4;  // a place or a thread
        if (IsMark(next, ":]") && EndsOrBlank(next + 1)) return Behind(next, true);
        if (!Is(next, PartKind::kBlank) || !(IsSeparator(next + 1) || IsMark(next + 1, ":"))) return At(i, has_logger);
        if (!IsMark(next + 1, "|")) return EndsOrBlank(next + 2) ? Behind(next + 1, true) : At(i, has_logger);
        has_logger = has_logger || IsClassLike(Text(i));
        i = next;
      } else {
        return At(i, has_logger);
      }
    }
  }

  std::string_view line_;
  std::vector<LinePart> parts_;
};

}  // namespace

std::optional<GuessedHeader> GuessHeader(std::string_view line, bool may_lack_time) {
  constexpr size_t kMinLine = 8;
  return line.size() < kMinLine ? std::nullopt : Guesser(line).Guess(may_lack_time);
}

bool IsThreadLike(std::string_view text) {
  constexpr std::string_view kWords[] = {"main",       "hread",  "pool",      "worker", "-loop",
                                         "dispatcher", "driver", "heartbeat", "netty",  "executor-"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view word) { return text.find(word) != kNoPart; });
}

bool IsClassLike(std::string_view name) {
  if (name.find(' ') != kNoPart) return false;
  const std::string_view last = name.substr(name.rfind('.') + 1);
  const bool is_camel =
      !last.empty() && IsUpper(last[0]) && std::any_of(last.begin(), last.end(), IsLower) && last.find('-') == kNoPart;
  return is_camel || (std::count(name.begin(), name.end(), '.') >= 2 && IsLetter(name[0]) && name.find('/') == kNoPart);
}

}  // namespace sparkprof
