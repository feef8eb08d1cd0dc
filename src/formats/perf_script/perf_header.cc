// SPDX-License-Identifier: Apache-2.0
#include "formats/perf_script/perf_header.h"

#include <cstddef>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "base/time.h"
#include "formats/perf_script/perf_text.h"
#include "model/samples/sample.h"

namespace sparkprof {
namespace {

// The end of "24636/25607" or "25607" at `at`; `at` if there is neither. The idle task of a stopped thread has -1.
size_t SkipIds(std::string_view line, size_t at) {
  const size_t begin = line.substr(at).starts_with("-1") ? at + 1 : at;
  size_t end = SkipNumber(line, begin);
  if (end == begin) return at;
  while (end < line.size() && line[end] == '/') ++end;
  return SkipNumber(line, end);
}

struct Place {
  size_t command_end = 0;
  size_t begin = 0;
  size_t end = 0;
};

// perf prints a period in 10 places, and an ID in 5.
constexpr size_t kPeriodPlaces = 10;

// The first ids that follow a command and precede a blank, as stackcollapse-perf.pl finds them; but a number in the
// places of a period is one.
std::optional<Place> FindIds(std::string_view line) {
  for (size_t at = 1; at < line.size(); ++at) {
    if (!IsSpaceOrTab(line[at])) continue;
    const size_t begin = SkipSpace(line, at);
    const size_t end = SkipIds(line, begin);
    const bool is_period = IsDigits(line.substr(begin, end - begin)) && end - at > kPeriodPlaces;
    if (end > begin && end < line.size() && IsSpaceOrTab(line[end]) && !is_period) return Place{at, begin, end};
    at = begin - 1;
  }
  return std::nullopt;
}

// "4794564.109216:" without its colon; empty if `word` is something else.
std::string_view TimeOfWord(std::string_view word) {
  const size_t dot = SkipNumber(word, 0);
  if (dot == 0 || dot + 2 >= word.size() || word[dot] != '.') return {};
  const size_t end = SkipNumber(word, dot + 1);
  return end > dot + 1 && end + 1 == word.size() && word[end] == ':' ? word.substr(0, end) : std::string_view();
}

bool IsCpu(std::string_view word) {
  return word.size() > 2 && word.front() == '[' && word.back() == ']' && IsDigits(word.substr(1, word.size() - 2));
}

std::string_view LastWord(std::string_view line) {
  const size_t before = line.find_last_of(" \t");
  return before == std::string_view::npos ? line : line.substr(before + 1);
}

// Where a time begins, behind at most `words` others; npos without one.
size_t FindTime(std::string_view line, size_t words) {
  for (size_t at = SkipSpace(line, 0); at < line.size() && words > 0; --words) {
    const std::string_view word = WordAt(line, at);
    if (!TimeOfWord(word).empty()) return at;
    at = SkipSpace(line, at + word.size());
  }
  return std::string_view::npos;
}

// The event at the end of the line, ": 10000000 cycles:pppH:"; false if the line has none there.
bool ReadEventAtEnd(std::string_view line, PerfHeader* header) {
  line = WithoutSpaceAtEnd(line);
  if (!line.ends_with(':')) return false;
  const std::string_view name = LastWord(line);
  if (name.size() == 1 || name.size() == line.size()) return false;
  std::string_view before = WithoutSpaceAtEnd(line.substr(0, line.size() - name.size()));
  size_t digits = before.size();
  while (digits > 0 && IsDigit(before[digits - 1])) --digits;
  const std::optional<int64_t> period = ParseInteger(before.substr(digits));
  if (!WithoutSpaceAtEnd(before.substr(0, digits)).ends_with(':')) return false;
  header->event = name.substr(0, name.size() - 1);
  if (period && *period > 0) header->period = *period;
  return true;
}

// "10000000 cycles:u:  ffffffff9b201293 [unknown] ([unknown])": a period and an event, of which each may be missing,
// and what follows.
void ReadEventAtBegin(std::string_view line, PerfHeader* header) {
  size_t at = SkipSpace(line, 0);
  std::string_view word = WordAt(line, at);
  std::optional<int64_t> period;
  if (IsDigits(word)) {
    period = ParseInteger(word);
    at = SkipSpace(line, at + word.size());
    word = WordAt(line, at);
  }
  if (word.size() > 1 && word.ends_with(':')) {
    header->event = word.substr(0, word.size() - 1);
    if (period && *period > 0) header->period = *period;
    line.remove_prefix(at + word.size());
  } else if (period && word.empty()) {
    if (*period > 0) header->period = *period;
    line = {};
  }
  header->rest = Trim(line);
}

// The part after the IDs: the CPU, flags such as "U", the time, the event.
void ReadFields(std::string_view fields, PerfHeader* header) {
  const size_t time = FindTime(fields, 3);
  if (time != std::string_view::npos) {
    const std::string_view word = WordAt(fields, time);
    header->time = TimeOfWord(word);
    fields.remove_prefix(time);
    if (fields.substr(SkipSpace(fields, word.size())).starts_with("PERF_RECORD_")) {
      header->is_record = true;
      return;
    }
    if (ReadEventAtEnd(fields, header)) return;
    return ReadEventAtBegin(fields.substr(word.size()), header);
  }
  size_t at = SkipSpace(fields, 0);
  for (std::string_view word = WordAt(fields, at); IsCpu(word) || (word.size() == 1 && IsUpper(word[0]));
       word = WordAt(fields, at)) {
    at = SkipSpace(fields, at + word.size());
  }
  ReadEventAtBegin(fields.substr(at), header);
  // Neither stackcollapse-perf.pl nor inferno reads a period without a time.
  header->period = 1;
}

}  // namespace

int64_t PerfHeader::TimeNs() const {
  const size_t dot = time.find('.');
  if (dot == std::string_view::npos) return kNoTime;
  int64_t nanos = 0;
  for (size_t i = 1; i <= 9; ++i) nanos = nanos * 10 + (dot + i < time.size() ? time[dot + i] - '0' : 0);
  const std::optional<int64_t> seconds = ParseInteger(time.substr(0, dot));
  int64_t sum = 0;
  if (!seconds || __builtin_mul_overflow(*seconds, kNanosPerSecond, &sum) || __builtin_add_overflow(sum, nanos, &sum)) {
    return kNoTime;
  }
  return sum;
}

namespace {

std::optional<PerfHeader> ParseFields(std::string_view line) {
  line.remove_prefix(SkipSpace(line, 0));
  PerfHeader header;
  const std::optional<Place> ids = FindIds(line);
  // Without ids, the first number behind the command is the period.
  if (ids && TimeOfWord(LastWord(line.substr(0, ids->command_end))).empty()) {
    header.command = line.substr(0, ids->command_end);
    header.ids = line.substr(ids->begin, ids->end - ids->begin);
    ReadFields(line.substr(ids->end), &header);
    return header;
  }
  const size_t time = FindTime(line, 16);
  if (time != std::string_view::npos) {
    std::string_view before = WithoutSpaceAtEnd(line.substr(0, time));
    if (const std::string_view word = LastWord(before); IsCpu(word)) {
      before = WithoutSpaceAtEnd(before.substr(0, before.size() - word.size()));
    }
    (!before.empty() && SkipIds(before, 0) == before.size() ? header.ids : header.command) = before;
    ReadFields(line.substr(time), &header);
    return header;
  }
  // "cycles: 7f00 main+0x1f (/x)", "java cycles:", "cycles:"
  const std::string_view first = WordAt(line, 0);
  if (first.size() > 1 && first.ends_with(':') && LooksLikeFrame(line.substr(first.size()))) {
    header.event = first.substr(0, first.size() - 1);
    header.rest = Trim(line.substr(first.size()));
    return header;
  }
  line = WithoutSpaceAtEnd(line);
  const std::string_view event = LastWord(line);
  if (event.size() < 2 || !event.ends_with(':')) return std::nullopt;
  header.event = event.substr(0, event.size() - 1);
  std::string_view before = WithoutSpaceAtEnd(line.substr(0, line.size() - event.size()));
  const std::string_view number = LastWord(before);
  const size_t command_size = WithoutSpaceAtEnd(before.substr(0, before.size() - number.size())).size();
  if (IsDigits(number) && before.size() - command_size > kPeriodPlaces) before = before.substr(0, command_size);
  header.command = before;
  return header;
}

}  // namespace

std::optional<PerfHeader> ParsePerfHeader(std::string_view line) {
  const size_t record = line.find("PERF_RECORD_");
  if (record != std::string_view::npos && (record == 0 || IsSpaceOrTab(line[record - 1]))) {
    PerfHeader header;
    header.is_record = true;
    return header;
  }
  const size_t address = line.starts_with('\t') ? std::string_view::npos : FindPaddedAddress(line);
  if (address == std::string_view::npos) return ParseFields(line);
  // The blank that ends the fields before the address belongs to them.
  const std::string_view fields = WithoutSpaceAtEnd(line.substr(0, address));
  std::optional<PerfHeader> header = ParseFields(line.substr(0, fields.size() + 1));
  if (!header) header = ParseShortPerfHeader(line.substr(0, fields.size() + 1));
  header->rest = line.substr(address);
  header->has_address = true;
  return header;
}

PerfHeader ParseShortPerfHeader(std::string_view line) {
  PerfHeader header;
  const std::string_view fields = WithoutSpaceAtEnd(line);
  const std::string_view text = fields.substr(SkipSpace(fields, 0));
  if (IsDigits(text) && fields.size() >= kPeriodPlaces) return header;  // a period, which needs a time
  if (!text.empty() && SkipIds(text, 0) == text.size()) {
    header.ids = text;
  } else {
    header.command = text;
  }
  return header;
}

}  // namespace sparkprof
