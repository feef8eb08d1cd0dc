// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_layouts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text/characters.h"
#include "base/text/text.h"
#include "base/time.h"
#include "text_log/header_guess.h"
#include "text_log/known_messages.h"
#include "text_log/stack_trace.h"

namespace sparkprof {

// The parts of one line beside its message.
struct LayoutSample {
  std::string_view line;
  std::vector<LinePart> before;
  std::vector<LinePart> behind;
  bool knows_end = false;  // the message's end is known
  bool is_first_of_two = false;

  std::string_view Text(const LinePart& part) const { return line.substr(part.begin, part.end - part.begin); }
  bool IsMark(const LinePart& part, std::string_view marks) const {
    return part.kind == PartKind::kMark && part.end == part.begin + 1 &&
           marks.find(line[part.begin]) != std::string_view::npos;
  }
};

namespace {

using Samples = std::vector<LayoutSample>;
using Side = std::vector<LinePart> LayoutSample::*;

constexpr size_t kNone = std::string_view::npos;

bool Has(const std::vector<LinePart>& parts, PartKind kind) {
  return std::any_of(parts.begin(), parts.end(), [&](const LinePart& part) { return part.kind == kind; });
}

// "spark_submit.py:492", "Logging.scala[logInfo]": where in the source a message is from.
bool IsPlace(std::string_view text) {
  const std::string_view file = text.substr(0, text.find_first_of(":[( "));
  return file.ends_with(".scala") || file.ends_with(".java") || file.ends_with(".py");
}

// "TaskSetManager.handleFailedTask", as opposed to "org.apache.spark".
bool EndsWithMethod(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == kNone || dot + 1 >= name.size() || !IsLower(name[dot + 1])) return false;
  return IsUpper(name[name.substr(0, dot).rfind('.') + 1]);
}

// The first sentence of Spark in the line; false if there is none, or only in an exception's text.
bool FindSentence(std::string_view line, size_t* begin, size_t* end) {
  constexpr size_t kMaxSearched = 4096;
  constexpr std::string_view kQuotes = "most recent failure: ";  // the message of an aborted job quotes "Lost task"
  return LineKindOf(Trim(line)) == LineKind::kPlain && AllMessages().FindIn(line.substr(0, kMaxSearched), begin, end) &&
         *begin <= kMaxHeader && !line.substr(0, *begin).ends_with(kQuotes);
}

// Whether the part separates others: "|", "/" and "--" between blanks, ":" before one.
bool IsSeparator(const LayoutSample& sample, size_t i) {
  const std::vector<LinePart>& parts = sample.before;
  const LinePart& part = parts[i];
  if (part.kind == PartKind::kTime || part.kind == PartKind::kLevel) return true;
  const bool has_blank_behind = i + 1 == parts.size() || parts[i + 1].kind == PartKind::kBlank;
  const bool has_blank_before = i == 0 || parts[i - 1].kind == PartKind::kBlank;
  if (part.kind != PartKind::kMark || sample.IsMark(part, "[](){}<>")) return false;
  return sample.IsMark(part, "=,;\"'|") || (has_blank_behind && (has_blank_before || sample.IsMark(part, ":")));
}

// Joins the words before parts[end] into one text, back to a separator, if they are `min_words`: names of threads have
// any number of words.
void JoinWordsBefore(size_t end, size_t min_words, LayoutSample* sample) {
  std::vector<LinePart>& parts = sample->before;
  size_t first = kNone, words = 0, last = end;
  if (last > 0 && parts[last - 1].kind == PartKind::kBlank) --last;
  for (size_t i = last; i-- > 0 && !IsSeparator(*sample, i);) {
    if (parts[i].kind != PartKind::kWord) continue;
    if (i > 0 && parts[i - 1].kind != PartKind::kBlank && !IsSeparator(*sample, i - 1)) continue;
    first = i;
    ++words;
  }
  if (words < min_words || (last == end && !sample->IsMark(parts[end], "|;,\""))) return;
  parts[first] = {PartKind::kText, parts[first].begin, parts[last - 1].end};
  parts.erase(parts.begin() + static_cast<ptrdiff_t>(first) + 1, parts.begin() + static_cast<ptrdiff_t>(last));
}

LayoutSample HeaderOf(std::string_view line, size_t message) {
  LayoutSample sample{.line = line, .before = PartsOf(line, 0, message, true)};
  std::vector<LinePart>& parts = sample.before;
  for (LinePart& part : parts) {  // perhaps the first letter of a level
    const bool is_letter = part.kind == PartKind::kWord && LogLevelOf(sample.Text(part)) != LogLevel::kNone;
    if (is_letter && !Has(parts, PartKind::kLevel)) part.kind = PartKind::kLevel;
  }
  if (message == line.size()) return sample;
  for (size_t i = parts.size(); i-- > 0;) {
    if (i < parts.size() && IsSeparator(sample, i))
      JoinWordsBefore(i, parts[i].kind == PartKind::kLevel ? 1 : 2, &sample);
  }
  for (size_t i = parts.size(); i-- > 0;) {
    if (parts[i].kind != PartKind::kWord) continue;
    JoinWordsBefore(i, 1, &sample);  // before the logger
    break;
  }
  return sample;
}

// The header of a line with a sentence of Spark; `end` is kNone where the message may be longer.
LayoutSample HeaderOf(std::string_view line, size_t message, size_t end) {
  LayoutSample sample = HeaderOf(line, message);
  sample.knows_end = end != kNone;
  if (sample.knows_end) {
    const size_t size = std::max(line.find_last_not_of(' ') + 1, end);
    sample.behind = PartsOf(line, end, std::min(size, end + kMaxHeader), true);
  }
  return sample;
}

bool HasHeader(const LayoutSample& sample) {
  const auto has = [&](PartKind kind) { return Has(sample.before, kind) || Has(sample.behind, kind); };
  return has(PartKind::kTime) || has(PartKind::kLevel);
}

std::string SignatureOf(const LayoutSample& sample, Side side) {
  std::string signature;
  for (const LinePart& part : sample.*side) {
    signature.append(part.kind == PartKind::kMark ? std::string(sample.Text(part))
                                                  : std::string(1, static_cast<char>(part.kind)));
  }
  return signature;
}

// The part at which the inner line begins behind what another program wrote before it: at the inner one of two times or
// levels, or at the only one.
size_t InnerLine(const LayoutSample& sample) {
  const std::vector<LinePart>& parts = sample.before;
  size_t times = 0, levels = 0, time = 0, level = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].kind == PartKind::kTime) ++times, time = i;
    if (parts[i].kind == PartKind::kLevel) ++levels, level = i;
  }
  if (times + levels == 0) return 0;
  size_t inner = times > 1 || (times == 1 && levels < 2) ? time : level;
  if (times == 1 && levels == 1) inner = std::min(time, level);
  if (inner == time && levels > 0 && level < inner) {  // the level may come first
    const bool follows = std::all_of(
        parts.begin() + static_cast<ptrdiff_t>(level) + 1, parts.begin() + static_cast<ptrdiff_t>(inner),
        [&](const LinePart& part) { return part.kind == PartKind::kBlank || sample.IsMark(part, "[](){}<>:"); });
    if (follows) inner = level;
  }
  while (inner > 0 && sample.IsMark(parts[inner - 1], "[(<{\"")) --inner;
  // A message may quote a time or a level.
  const bool may_be_quoted = levels > 0 && (times > 1 || levels > 1);
  return may_be_quoted && !GuessHeader(sample.line.substr(parts[inner].begin), times < 2) ? 0 : inner;
}

// The program that wrote a carrier, without the line of its source.
std::string_view SourceOf(const LogHeader& carrier) { return carrier.logger.substr(0, carrier.logger.find(':')); }

// "Executor: text", where a layout without a logger would leave the logger in the message.
bool BeginsWithLogger(std::string_view message) {
  const size_t colon = message.substr(0, kMaxHeader).find(": ");
  return colon != kNone && IsClassLike(message.substr(0, colon)) && !BeginsWithExceptionClass(message);
}

struct Roles {
  size_t logger = kNone, thread = kNone;
};

// By what most samples have there.
Roles RolesOf(const Samples& samples, Side side, bool is_carrier, bool has_logger) {
  const LayoutSample& first = samples.front();
  const std::vector<LinePart>& parts = first.*side;
  const auto mostly = [&](size_t i, bool (*holds)(std::string_view)) {
    const auto count = std::count_if(samples.begin(), samples.end(),
                                     [&](const LayoutSample& sample) { return holds(sample.Text((sample.*side)[i])); });
    return static_cast<size_t>(count) * 2 >= samples.size();
  };
  Roles roles;
  std::vector<size_t> names;
  for (size_t i = 0; i < parts.size(); ++i) {
    const bool is_name = parts[i].kind == PartKind::kWord || parts[i].kind == PartKind::kText;
    if (is_name && (is_carrier || !mostly(i, IsPlace))) names.push_back(i);
  }
  if (is_carrier) return {.logger = names.empty() ? kNone : names.front()};
  for (const size_t i : names) {
    if (mostly(i, IsClassLike)) roles.logger = i;
  }
  // Any other name, the last word before the message.
  for (size_t at = names.size(); roles.logger == kNone && !has_logger && at-- > 0;) {
    size_t i = names[at];
    if (parts[i].kind != PartKind::kWord || mostly(i, IsThreadLike)) continue;
    while (i >= 2 && first.IsMark(parts[i - 1], ":") && parts[i - 2].kind == PartKind::kWord) i -= 2;
    roles.logger = i;
  }
  bool is_sure = false;
  for (const size_t i : names) {
    if (i == roles.logger) continue;
    const bool is_bare = i == 0 || parts[i - 1].kind != PartKind::kMark;
    const bool may_be = parts[i].kind == PartKind::kText && (is_bare || first.IsMark(parts[i - 1], "["));
    const bool seems = mostly(i, IsThreadLike);
    if (seems || (may_be && !is_sure)) roles.thread = i;
    is_sure = is_sure || seems;
  }
  return roles;
}

}  // namespace

// The order that excludes times of the future and makes the log shortest.
DateOrder LogLayouts::OrderOf(const std::vector<std::string_view>& texts) {
  constexpr int64_t kDayNanos = 86'400 * kNanosPerSecond;
  uint8_t orders = UINT8_MAX;
  for (const std::string_view text : texts) {
    if (const uint8_t own = LogTimeParser::OrdersOf(text); own != 0) orders &= own;
  }
  const int64_t usual_ns = LogTimeParser().Parse(texts.front()).time_ns;
  DateOrder best = DateOrder::kYearMonthDay;
  int64_t best_span_ns = INT64_MAX;
  bool is_usual = false;
  size_t as_good = 0;
  for (const DateOrder order : {DateOrder::kYearMonthDay, DateOrder::kMonthDayYear, DateOrder::kDayMonthYear}) {
    if ((orders & (1 << static_cast<int>(order))) == 0) continue;
    LogTimeParser parser(order);
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (const std::string_view text : texts) {
      const int64_t time_ns = parser.Parse(text).time_ns;
      first_ns = std::min(first_ns, time_ns);
      last_ns = std::max(last_ns, time_ns);
    }
    if (latest_ns_ > 0 && last_ns > latest_ns_ + kDayNanos) continue;
    const int64_t span_ns = last_ns - first_ns;
    as_good = span_ns < best_span_ns ? 0 : as_good + (span_ns == best_span_ns ? 1 : 0);
    if (span_ns > best_span_ns || (span_ns == best_span_ns && is_usual)) continue;
    best_span_ns = span_ns;
    best = order;
    is_usual = LogTimeParser(order).Parse(texts.front()).time_ns == usual_ns;
  }
  if (as_good > 0 && best != DateOrder::kYearMonthDay) {
    doubts_.insert("the order of day and month in its dates is assumed");
  }
  return best;
}

// The parts that samples with equal signatures have before or behind their messages.
void LogLayouts::AddParts(const Samples& samples, bool is_behind, bool is_carrier, LineLayout* layout) {
  const Side side = is_behind ? &LayoutSample::behind : &LayoutSample::before;
  const LayoutSample& first = samples.front();
  std::vector<LinePart>* const parts = is_behind ? &layout->behind : &layout->before;
  const bool has_logger = std::any_of(layout->behind.begin(), layout->behind.end(),
                                      [](const LinePart& part) { return part.role == PartRole::kLogger; });
  const Roles roles = RolesOf(samples, side, is_carrier, is_behind || has_logger);
  const size_t count = (first.*side).size();
  for (size_t i = 0; i < count; ++i) {
    const auto is = [&](size_t other, PartKind kind) { return other < count && (first.*side)[other].kind == kind; };
    LinePart part = (first.*side)[i];
    part.role = i == roles.logger ? PartRole::kLogger : i == roles.thread ? PartRole::kThread : PartRole::kNone;
    const std::string_view text = first.Text(part);
    if (part.kind == PartKind::kMark) part.literal = text;
    if (part.kind == PartKind::kLevel) part.is_optional = text.size() == 1;
    if (part.kind == PartKind::kWord) part.has_method = i == roles.logger && EndsWithMethod(text);
    if (part.kind == PartKind::kBlank) {
      const bool is_padding = is(i + 1, PartKind::kLevel) || is(i - 1, PartKind::kLevel);
      const bool is_edge = i == 0 || (is_carrier && i + 1 == count);
      const bool is_same = std::all_of(samples.begin(), samples.end(), [&](const LayoutSample& sample) {
        return sample.Text((sample.*side)[i]) == text;
      });
      if (is_same && (is_edge || text == "\t" || (!is_padding && text == " "))) part.literal = text;
      part.is_optional =
          is_padding && (is_edge || i + 1 == count || is(i - 1, PartKind::kMark) || is(i + 1, PartKind::kMark));
    }
    if (part.kind == PartKind::kTime) {
      std::vector<std::string_view> texts;
      for (const LayoutSample& sample : samples) texts.push_back(sample.line.substr((sample.*side)[i].begin));
      part.parser = layout->times.size();
      layout->times.emplace_back(OrderOf(texts));
    }
    if (!part.literal.empty() && !parts->empty() && !parts->back().literal.empty()) {
      parts->back().literal += part.literal;
    } else {
      parts->push_back(std::move(part));
    }
  }
}

// With the parts behind the messages whose end is known, if most have the same there.
LineLayout LogLayouts::Compile(const Samples& samples, bool is_carrier) {
  LineLayout layout{.is_first_of_two = samples.front().is_first_of_two};
  Groups ends;
  size_t known = 0;
  for (const LayoutSample& sample : samples) {
    if (!sample.knows_end) continue;
    ++known;
    ends[SignatureOf(sample, &LayoutSample::behind)].push_back(sample);
  }
  for (const auto& [signature, of_end] : ends) {
    if (!signature.empty() && of_end.size() * 2 > known) AddParts(of_end, true, is_carrier, &layout);
  }
  if (!layout.behind.empty() && layout.behind.front().literal.empty()) layout.behind.clear();
  AddParts(samples, false, is_carrier, &layout);
  return layout;
}

// Learns what is before the inner line, for each kind of line in which that belongs to another program.
void LogLayouts::LearnCarriers(const std::vector<std::string>& lines) {
  Groups groups;
  size_t headers = 0;
  for (const std::string_view line : lines) {
    LayoutSample sample{.line = line};
    size_t message = line.ends_with('}') ? line.find("{\"") : kNone, end = 0;
    const bool has_object = message < kMaxHeader;
    if (!has_object && !FindSentence(line, &message, &end)) {
      const std::optional<GuessedHeader> guessed = GuessHeader(line, false);
      if (!guessed) continue;
      message = guessed->message;
    }
    sample.before = PartsOf(line, 0, message, true);
    if (has_object && Has(sample.before, PartKind::kLevel)) continue;  // a message with an object
    if (!has_object) sample.before.resize(InnerLine(sample));
    ++headers;
    if (sample.before.empty()) continue;
    groups[SignatureOf(sample, &LayoutSample::before) + (has_object ? "{" : "")].push_back(std::move(sample));
  }
  for (const auto& [signature, samples] : groups) {
    // Objects are lines only where nearly every line is one.
    if (signature.ends_with('{') && samples.size() * 10 < lines.size() * 9) continue;
    LineLayout carrier = Compile(samples, true);
    LogHeader header;
    std::set<std::string, std::less<>> sources;
    bool is_thread = false, is_line_of_its_own = false;
    for (const LayoutSample& sample : samples) {
      if (!carrier.Match(sample.line, &header)) continue;
      is_thread = is_thread || IsThreadLike(header.logger);
      is_line_of_its_own = header.time.size > 0 || header.level != LogLevel::kNone;
      if (sources.size() < kMaxSources) sources.emplace(SourceOf(header));
    }
    // Such a program has few names, and may write them before lines without a header.
    const auto matching = static_cast<size_t>(std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
      return carrier.Match(line, &header) && sources.contains(SourceOf(header));
    }));
    const bool is_before_all = matching > samples.size() && matching * 10 >= lines.size() * 9;
    const bool is_constant = samples.size() == headers && sources.size() == 1 && !is_thread;
    if (!is_line_of_its_own && !is_constant && !is_before_all) continue;
    if (carriers_.size() == kMaxLayouts) return;
    sources_.merge(sources);
    carriers_.push_back(std::move(carrier));
  }
}

void LogLayouts::LearnHeaders(const std::vector<std::string_view>& lines) {
  Groups groups;
  std::vector<std::string_view> others;  // without a sentence of Spark
  size_t sentences = 0, without_header = 0;
  for (const std::string_view line : lines) {
    size_t begin = 0, end = 0;
    if (!FindSentence(line, &begin, &end)) {
      others.push_back(line);
      continue;
    }
    LayoutSample sample = HeaderOf(line, begin, end);
    ++sentences;
    if (HasHeader(sample)) {
      groups[SignatureOf(sample, &LayoutSample::before)].push_back(std::move(sample));
    } else {
      ++without_header;
    }
  }
  lacks_all_ = lacks_all_ || without_header * 2 > sentences;
  AddLayouts(&groups, false);
  for (const std::string_view line : others) {
    const std::optional<GuessedHeader> guessed = GuessHeader(line, false);
    if (!guessed) continue;
    LayoutSample sample = HeaderOf(line, guessed->message);
    sample.is_first_of_two = guessed->is_first_of_two;
    groups[SignatureOf(sample, &LayoutSample::before)].push_back(std::move(sample));
  }
  AddLayouts(&groups, true);
}

// Adds the most frequent first: lines that one of these splits at the same place, or up to a logger, need no others.
void LogLayouts::AddLayouts(Groups* groups, bool is_guessed) {
  std::vector<Samples> by_size;
  for (auto& [signature, samples] : *groups) by_size.push_back(std::move(samples));
  groups->clear();
  std::stable_sort(by_size.begin(), by_size.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (Samples& samples : by_size) {
    std::erase_if(samples, [&](const LayoutSample& sample) {
      LogHeader header;
      const size_t message = sample.before.empty() ? 0 : sample.before.back().end;
      return MatchKnown(sample.line, &header) && (!header.logger.empty() || header.message == message);
    });
    if (!samples.empty()) AddLayout(samples, is_guessed);
  }
}

// Layouts with more parts are before those that also fit, but find less in a line.
void LogLayouts::AddLayout(const Samples& samples, bool is_guessed) {
  if (layouts_.size() == kMaxLayouts) {
    layouts_.erase(std::min_element(layouts_.begin(), layouts_.end(),
                                    [](const LineLayout& a, const LineLayout& b) { return a.uses < b.uses; }));
  }
  LineLayout layout = Compile(samples, false);
  layout.is_guessed = is_guessed;
  const auto parts = [](const LineLayout& any) { return any.before.size() + any.behind.size(); };
  const auto less = std::find_if(layouts_.begin(), layouts_.end(),
                                 [&](const LineLayout& other) { return parts(other) < parts(layout); });
  layouts_.insert(less, std::move(layout));
}

void LogLayouts::Learn(const std::vector<std::string>& lines) {
  strange_ = 0;
  LearnCarriers(lines);
  std::vector<std::string_view> inner;
  LogTime time;
  for (const std::string& line : lines) inner.push_back(WithoutCarrier(line, &time));
  LearnHeaders(inner);
}

std::string_view LogLayouts::WithoutCarrier(std::string_view line, LogTime* time) {
  LogHeader header;
  for (LineLayout& carrier : carriers_) {
    if (!carrier.Match(line, &header)) continue;
    // A program that passes lines on writes lines of its own, too.
    if (header.level != LogLevel::kNone && !sources_.contains(SourceOf(header))) continue;
    *time = header.time;
    return line.substr(header.message);
  }
  *time = {};
  return line;
}

bool LogLayouts::MatchKnown(std::string_view line, LogHeader* header) {
  return std::any_of(layouts_.begin(), layouts_.end(), [&](LineLayout& layout) {
    if (!layout.Match(line, header)) return false;
    return !layout.is_guessed || !header->logger.empty() || !BeginsWithLogger(line.substr(header->message));
  });
}

// Adds the layout of one line, if it has a header.
bool LogLayouts::LearnLine(std::string_view line, bool has_time) {
  size_t begin = 0, end = 0;
  const bool has_sentence = FindSentence(line, &begin, &end);
  const std::optional<GuessedHeader> guessed = GuessHeader(line, has_time);
  LayoutSample sample;
  if (has_sentence && (!guessed || !guessed->has_logger)) {
    sample = HeaderOf(line, begin, end);
  } else if (guessed) {
    sample = HeaderOf(line, guessed->message);
    sample.is_first_of_two = guessed->is_first_of_two;
  }
  if (HasHeader(sample)) {
    AddLayout({sample}, !has_sentence);
    return true;
  }
  if (has_sentence && !lacks_all_) {
    ++strange_;
    ++all_strange_;
  }
  return false;
}

bool LogLayouts::Match(std::string_view line, bool has_time, LogHeader* header) {
  constexpr size_t kTriedOfMany = 64;
  if (MatchKnown(line, header)) return true;
  if (line.empty() || line[0] == '\t' || (tried_ > kMaxTried && tried_++ % kTriedOfMany != 0)) return false;
  if (LearnLine(line, has_time) && MatchKnown(line, header)) return true;
  ++tried_;
  size_t end = 0;
  *header = {.message_end = line.size()};
  return lacks_all_ && FindSentence(line, &header->message, &end);
}

bool LogLayouts::MatchSecond(std::string_view line, LogHeader* header) {
  constexpr size_t kMaxLevel = 15;  // and the colon behind it
  const size_t colon = line.substr(0, kMaxLevel).find(": ");
  if (colon == kNone || LogLevelOf(line.substr(0, colon)) == LogLevel::kNone) return false;
  header->level = LogLevelOf(line.substr(0, colon));
  header->message = colon + 2;
  header->message_end = line.size();
  return true;
}

}  // namespace sparkprof
