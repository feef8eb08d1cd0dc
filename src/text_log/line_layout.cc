// SPDX-License-Identifier: Apache-2.0
#include "text_log/line_layout.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/characters.h"
#include "base/text.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxLevel = 13;

constexpr std::pair<std::string_view, LogLevel> kLevels[] = {
    {"info", LogLevel::kInfo},       {"warn", LogLevel::kWarn},          {"error", LogLevel::kError},
    {"debug", LogLevel::kDebug},     {"warning", LogLevel::kWarn},       {"trace", LogLevel::kTrace},
    {"fatal", LogLevel::kFatal},     {"severe", LogLevel::kError},       {"critical", LogLevel::kFatal},
    {"config", LogLevel::kDebug},    {"fine", LogLevel::kDebug},         {"finer", LogLevel::kTrace},
    {"finest", LogLevel::kTrace},    {"notice", LogLevel::kInfo},        {"alert", LogLevel::kFatal},
    {"verbose", LogLevel::kTrace},   {"inf", LogLevel::kInfo},           {"wrn", LogLevel::kWarn},
    {"err", LogLevel::kError},       {"dbg", LogLevel::kDebug},          {"trc", LogLevel::kTrace},
    {"ftl", LogLevel::kFatal},       {"crit", LogLevel::kFatal},         {"emerg", LogLevel::kFatal},
    {"panic", LogLevel::kFatal},     {"emergency", LogLevel::kFatal},    {"debu", LogLevel::kDebug},
    {"erro", LogLevel::kError},      {"fata", LogLevel::kFatal},         {"information", LogLevel::kInfo},
    {"infos", LogLevel::kInfo},      {"informational", LogLevel::kInfo}, {"warnung", LogLevel::kWarn},
    {"grave", LogLevel::kError},     {"avertissement", LogLevel::kWarn}, {"schwerwiegend", LogLevel::kError},
    {"advertencia", LogLevel::kWarn}};

void TakeName(const LayoutStep& step, std::string_view name, LogHeader* header) {
  if (step.role == StepRole::kThread) header->thread = name;
  if (step.role == StepRole::kLogger) header->logger = step.has_method ? name.substr(0, name.rfind('.')) : name;
}

}  // namespace

LogLevel LogLevelOf(std::string_view word) {
  if (word == "INFO") return LogLevel::kInfo;
  if (word == "WARN") return LogLevel::kWarn;
  if (word.size() == 1) {
    constexpr std::string_view kLetters = "TDIWEF";
    const size_t letter = kLetters.find(word[0]);
    return letter == std::string_view::npos ? LogLevel::kNone : static_cast<LogLevel>(letter + 1);
  }
  if (word.size() < 3 || word.size() > kMaxLevel) return LogLevel::kNone;
  const std::string lower = ToLowerAscii(word);
  const auto* const found =
      std::find_if(std::begin(kLevels), std::end(kLevels), [&](const auto& level) { return level.first == lower; });
  return found == std::end(kLevels) ? LogLevel::kNone : found->second;
}

bool IsWordByte(char c) {
  static constexpr std::array<bool, 256> kIsOther = [] {
    std::array<bool, 256> is_other{};
    for (const char other : std::string_view(" \t[](){}<>|,;:=\"'`\r")) is_other[static_cast<uint8_t>(other)] = true;
    return is_other;
  }();
  return !kIsOther[static_cast<uint8_t>(c)];
}

bool LineLayout::MatchFrom(const std::vector<LayoutStep>& steps, size_t step, size_t at, std::string_view line,
                           size_t* end, LogHeader* header) {
  for (; step < steps.size(); ++step) {
    const LayoutStep& wanted = steps[step];
    size_t stop = at;
    switch (wanted.kind) {
      case StepKind::kLiteral: {
        const std::string_view literal = wanted.literal, rest = line.substr(at);
        if (!rest.starts_with(literal)) {
          // Editors remove blanks at the end of a line.
          const bool is_trimmed = literal.ends_with(' ') && rest == literal.substr(0, literal.size() - 1);
          if (step + 1 < steps.size() || !is_trimmed) return false;
          stop = line.size();
        } else {
          stop = at + literal.size();
        }
        break;
      }
      case StepKind::kBlank:
        while (stop < line.size() && (line[stop] == ' ' || line[stop] == '\t')) ++stop;
        if (stop == at && !wanted.is_optional) return false;
        break;
      case StepKind::kTime: {
        const LogTime time = times[wanted.times].Parse(line.substr(at));
        if (time.size == 0) return false;
        if (header->time.size == 0 || time.has_zone || !header->time.has_zone) header->time = time;
        stop = at + time.size;
        break;
      }
      case StepKind::kLevel:
        while (stop < line.size() && IsLetter(line[stop])) ++stop;
        header->level = LogLevelOf(line.substr(at, stop - at));
        if (header->level == LogLevel::kNone || (stop == at + 1 && !wanted.is_optional)) return false;
        if (stop < line.size() && IsWordByte(line[stop])) return false;
        break;
      case StepKind::kNumber:
        while (stop < line.size() && IsDigit(line[stop])) ++stop;
        if (stop == at) return false;
        break;
      case StepKind::kWord:
        while (stop < line.size() && IsWordByte(line[stop])) ++stop;
        if (stop == at) return false;
        break;
      case StepKind::kText: {
        LogHeader rest = *header;
        const size_t last = std::min(line.size(), at + kMaxHeader);
        while (stop < last && !MatchFrom(steps, step + 1, stop, line, end, &rest)) {
          rest = *header;
          ++stop;
        }
        if (stop >= last) return false;
        const std::string_view text = Trim(line.substr(at, stop - at));
        *header = rest;
        TakeName(wanted, text, header);
        return true;
      }
    }
    TakeName(wanted, line.substr(at, stop - at), header);
    at = stop;
  }
  *end = at;
  return true;
}

// The last place where the steps behind the message lead to the end of the line.
bool LineLayout::MatchAfter(std::string_view line, LogHeader* header) {
  constexpr int kMaxTries = 8;
  const std::string_view begin = after.front().literal;
  size_t size = line.size();
  while (size > header->message && line[size - 1] == ' ' && !begin.ends_with(' ')) --size;
  size_t from = size;
  for (int tries = 0; tries < kMaxTries; ++tries) {
    const size_t found = line.substr(0, size).rfind(begin, from);
    if (found == std::string_view::npos || found < header->message || size - found > kMaxHeader) return false;
    size_t end = 0;
    LogHeader whole = *header;
    if (MatchFrom(after, 0, found, line.substr(0, size), &end, &whole) && end == size) {
      *header = whole;
      header->message_end = found;
      return true;
    }
    if (found == 0) return false;
    from = found - 1;
  }
  return false;
}

bool LineLayout::Match(std::string_view line, LogHeader* header) {
  *header = {};
  size_t message = 0;
  if (!MatchFrom(before, 0, 0, line, &message, header)) return false;
  header->message = message;
  header->message_end = line.size();
  if (is_first_of_two && header->message < line.size()) return false;
  if (!after.empty() && !MatchAfter(line, header)) return false;
  ++uses;
  return true;
}

}  // namespace sparkprof
