// SPDX-License-Identifier: Apache-2.0
#include "text_log/log_layouts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/characters.h"
#include "base/text.h"
#include "base/time.h"
#include "text_log/known_messages.h"
#include "text_log/line_tokens.h"
#include "text_log/stack_lines.h"

namespace sparkprof {

// What is beside the message of one line.
struct LayoutSample {
  using Tokens = std::vector<Token>;

  std::string_view line;
  Tokens before;
  Tokens after;
  bool knows_end = false;  // of the message
  bool is_first_of_two = false;

  std::string_view Text(const Token& token) const { return line.substr(token.begin, token.end - token.begin); }
  bool IsMark(const Token& token, std::string_view marks) const {
    return token.kind == TokenKind::kMark && token.end == token.begin + 1 &&
           marks.find(line[token.begin]) != std::string_view::npos;
  }
};

namespace {

using Samples = std::vector<LayoutSample>;
using Part = LayoutSample::Tokens LayoutSample::*;

bool Has(const std::vector<Token>& tokens, TokenKind kind) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const Token& token) { return token.kind == kind; });
}

bool HoldsAny(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) { return text.find(word) != kNoToken; });
}

// By words in names of threads of Spark, the JVM and their libraries.
bool IsThreadLike(std::string_view text) {
  return HoldsAny(
      text, {"main", "hread", "pool", "worker", "-loop", "dispatcher", "driver", "heartbeat", "netty", "executor-"});
}

// "spark_submit.py:492", "Logging.scala[logInfo]": where in the source a message is from.
bool IsPlace(std::string_view text) {
  for (const std::string_view end : {".py", ".scala", ".java"}) {
    const size_t found = text.find(end);
    if (found != kNoToken && (found + end.size() == text.size() || !IsAlnum(text[found + end.size()]))) return true;
  }
  return false;
}

// "TaskSetManager.handleFailedTask", as opposed to "org.apache.spark".
bool EndsWithMethod(std::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == kNoToken || dot + 1 >= name.size() || !IsLower(name[dot + 1])) return false;
  return IsUpper(name[name.substr(0, dot).rfind('.') + 1]);
}

// The first sentence of Spark in the line; false if there is none, or only in an exception's text.
bool FindSentence(std::string_view line, size_t* begin, size_t* end) {
  constexpr size_t kMaxSearched = 4096;
  return LineKindOf(Trim(line)) == LineKind::kPlain && AllMessages().FindIn(line.substr(0, kMaxSearched), begin, end) &&
         *begin <= kMaxHeader;
}

// Whether the token separates the parts of a line: "|", "/" and "--" between blanks, ":" before one.
bool IsSeparator(const LayoutSample& sample, size_t i) {
  const std::vector<Token>& tokens = sample.before;
  const Token& token = tokens[i];
  if (token.kind == TokenKind::kTime || token.kind == TokenKind::kLevel) return true;
  const bool has_blank_behind = i + 1 == tokens.size() || tokens[i + 1].kind == TokenKind::kBlank;
  const bool has_blank_before = i == 0 || tokens[i - 1].kind == TokenKind::kBlank;
  if (token.kind != TokenKind::kMark || sample.IsMark(token, "[](){}<>")) return false;
  return sample.IsMark(token, "=,;\"'|") || (has_blank_behind && (has_blank_before || sample.IsMark(token, ":")));
}

// Joins the words before tokens[end] and its blank into one text, back to what separates them from the other parts of
// the line, if they are `min_words`: names of threads have any number of words.
void JoinWordsBefore(size_t end, size_t min_words, LayoutSample* sample) {
  std::vector<Token>& tokens = sample->before;
  if (end < 2 || tokens[end - 1].kind != TokenKind::kBlank) return;
  size_t first = kNoToken, words = 0;
  for (size_t i = end - 1; i-- > 0 && !IsSeparator(*sample, i);) {
    if (tokens[i].kind != TokenKind::kWord || (i > 0 && tokens[i - 1].kind != TokenKind::kBlank)) continue;
    first = i;
    ++words;
  }
  if (words < min_words) return;
  tokens[first] = {TokenKind::kText, tokens[first].begin, tokens[end - 2].end};
  tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(first) + 1, tokens.begin() + static_cast<ptrdiff_t>(end) - 1);
}

LayoutSample HeaderOf(std::string_view line, size_t message) {
  LayoutSample sample{.line = line, .before = Tokenize(line, 0, message, true)};
  std::vector<Token>& tokens = sample.before;
  if (!Has(tokens, TokenKind::kLevel)) {  // perhaps the first letter of one
    for (Token& token : tokens) {
      const bool is_letter = token.kind == TokenKind::kWord && token.end == token.begin + 1;
      if (is_letter && LogLevelOf(sample.Text(token)) != LogLevel::kNone) token.kind = TokenKind::kLevel;
    }
  }
  if (message == line.size()) return sample;
  for (size_t i = tokens.size(); i-- > 0;) {
    if (i < tokens.size() && IsSeparator(sample, i))
      JoinWordsBefore(i, tokens[i].kind == TokenKind::kLevel ? 1 : 2, &sample);
  }
  for (size_t i = tokens.size(); i-- > 0;) {
    if (tokens[i].kind != TokenKind::kWord) continue;
    JoinWordsBefore(i, 1, &sample);  // before the logger
    break;
  }
  return sample;
}

// Of a line with a sentence of Spark; `end` is kNoToken where the message may be longer.
LayoutSample HeaderOf(std::string_view line, size_t message, size_t end) {
  LayoutSample sample = HeaderOf(line, message);
  sample.knows_end = end != kNoToken;
  if (sample.knows_end) {
    const size_t size = std::max(line.find_last_not_of(' ') + 1, end);
    sample.after = Tokenize(line, end, std::min(size, end + kMaxHeader), true);
  }
  return sample;
}

bool HasHeader(const LayoutSample& sample) {
  const auto has = [&](TokenKind kind) { return Has(sample.before, kind) || Has(sample.after, kind); };
  return has(TokenKind::kTime) || has(TokenKind::kLevel);
}

std::string SignatureOf(const LayoutSample& sample, Part part) {
  std::string signature;
  for (const Token& token : sample.*part) {
    if (token.kind == TokenKind::kMark) {
      signature.append(sample.Text(token));
    } else {
      signature += static_cast<char>(token.kind);
    }
  }
  return signature;
}

// The token at which the inner line begins behind what another program wrote before it: at the inner one of two times
// or levels, or at the only one.
size_t InnerLine(const LayoutSample& sample) {
  const std::vector<Token>& tokens = sample.before;
  size_t times = 0, levels = 0, time = 0, level = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::kTime) ++times, time = i;
    if (tokens[i].kind == TokenKind::kLevel) ++levels, level = i;
  }
  if (times + levels == 0) return 0;
  size_t inner = times > 1 || (times == 1 && levels < 2) ? time : level;
  if (times == 1 && levels == 1) inner = std::min(time, level);
  if (inner == time && levels > 0 && level < inner) {  // the level may come first
    const auto begin = tokens.begin();
    const bool follows = std::all_of(
        begin + static_cast<ptrdiff_t>(level) + 1, begin + static_cast<ptrdiff_t>(inner),
        [&](const Token& token) { return token.kind == TokenKind::kBlank || sample.IsMark(token, "[](){}<>:"); });
    if (follows) inner = level;
  }
  while (inner > 0 && sample.IsMark(tokens[inner - 1], "[(<{\"")) --inner;
  // A message may quote a time or a level.
  const bool has_others = times + levels > 2 || times > 1 || levels > 1;
  const bool may_be_quoted = has_others && levels > 0;
  return may_be_quoted && !GuessHeader(sample.line.substr(tokens[inner].begin), times < 2) ? 0 : inner;
}

// The program that wrote a carrier, without the line of its source.
std::string_view SourceOf(const LogHeader& carrier) { return carrier.logger.substr(0, carrier.logger.find(':')); }

// "Executor: text", where a layout without a logger would leave the logger in the message.
bool BeginsWithLogger(std::string_view message) {
  const size_t colon = message.substr(0, kMaxHeader).find(": ");
  return colon != kNoToken && IsClassLike(message.substr(0, colon)) && !BeginsWithExceptionClass(message);
}

struct Roles {
  size_t logger = kNoToken, thread = kNoToken;
};

// By what most samples have there.
Roles RolesOf(const Samples& samples, Part part, bool is_carrier, bool has_logger) {
  const LayoutSample& first = samples.front();
  const std::vector<Token>& tokens = first.*part;
  const auto mostly = [&](size_t i, bool (*holds)(std::string_view)) {
    const auto count = std::count_if(samples.begin(), samples.end(),
                                     [&](const LayoutSample& sample) { return holds(sample.Text((sample.*part)[i])); });
    return static_cast<size_t>(count) * 2 >= samples.size();
  };
  Roles roles;
  std::vector<size_t> names;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::kWord || tokens[i].kind == TokenKind::kText) names.push_back(i);
  }
  if (is_carrier) return {.logger = names.empty() ? kNoToken : names.front()};
  std::erase_if(names, [&](size_t i) { return mostly(i, IsPlace); });
  for (const size_t i : names) {
    if (mostly(i, IsClassLike)) roles.logger = i;
  }
  // Any other name, the last word before the message.
  for (size_t at = names.size(); roles.logger == kNoToken && !has_logger && at-- > 0;) {
    size_t i = names[at];
    if (tokens[i].kind != TokenKind::kWord || mostly(i, IsThreadLike)) continue;
    while (i >= 2 && first.IsMark(tokens[i - 1], ":") && tokens[i - 2].kind == TokenKind::kWord) i -= 2;
    roles.logger = i;
  }
  bool is_sure = false;
  for (const size_t i : names) {
    if (i == roles.logger) continue;
    const bool is_bare = i == 0 || tokens[i - 1].kind != TokenKind::kMark;
    const bool may_be = tokens[i].kind == TokenKind::kText && (is_bare || first.IsMark(tokens[i - 1], "["));
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

// The steps of what samples with equal signatures have before or behind their messages.
void LogLayouts::AddSteps(const std::vector<LayoutSample>& samples, bool is_behind, bool is_carrier,
                          LineLayout* layout) {
  const Part part = is_behind ? &LayoutSample::after : &LayoutSample::before;
  const LayoutSample& first = samples.front();
  const std::vector<Token>& tokens = first.*part;
  const bool has_logger = std::any_of(layout->after.begin(), layout->after.end(),
                                      [](const LayoutStep& step) { return step.role == StepRole::kLogger; });
  const Roles roles = RolesOf(samples, part, is_carrier, is_behind || has_logger);
  std::vector<LayoutStep>* const steps = is_behind ? &layout->after : &layout->before;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const auto is = [&](size_t other, TokenKind kind) { return other < tokens.size() && tokens[other].kind == kind; };
    LayoutStep step{.role = i == roles.logger   ? StepRole::kLogger
                            : i == roles.thread ? StepRole::kThread
                                                : StepRole::kNone,
                    .literal = std::string(first.Text(tokens[i]))};
    switch (tokens[i].kind) {
      case TokenKind::kBlank: {
        const bool is_padding = is(i + 1, TokenKind::kLevel) || (i > 0 && is(i - 1, TokenKind::kLevel));
        const bool is_same = std::all_of(samples.begin(), samples.end(), [&](const LayoutSample& sample) {
          return sample.Text((sample.*part)[i]) == step.literal;
        });
        const bool is_edge = i == 0 || (is_carrier && i + 1 == tokens.size());
        if (is_same && (is_edge || (!is_padding && step.literal == " "))) break;
        step.kind = StepKind::kBlank;
        step.is_optional = is_padding && (i == 0 || i + 1 == tokens.size() || is(i - 1, TokenKind::kMark) ||
                                          is(i + 1, TokenKind::kMark));
        break;
      }
      case TokenKind::kMark:
        break;
      case TokenKind::kTime: {
        std::vector<std::string_view> texts;
        for (const LayoutSample& sample : samples) texts.push_back(sample.line.substr((sample.*part)[i].begin));
        step.kind = StepKind::kTime;
        step.times = layout->times.size();
        layout->times.emplace_back(OrderOf(texts));
        break;
      }
      case TokenKind::kLevel:
        step.kind = StepKind::kLevel;
        step.is_optional = step.literal.size() == 1;
        break;
      case TokenKind::kNumber:
        step.kind = StepKind::kNumber;
        break;
      case TokenKind::kWord:
        step.kind = StepKind::kWord;
        step.has_method = i == roles.logger && EndsWithMethod(step.literal);
        break;
      case TokenKind::kText:
        step.kind = StepKind::kText;
        break;
    }
    const bool is_literal = step.kind == StepKind::kLiteral;
    if (is_literal && !steps->empty() && steps->back().kind == step.kind) {
      steps->back().literal += step.literal;
    } else {
      if (!is_literal) step.literal.clear();
      steps->push_back(std::move(step));
    }
  }
}

// What is behind the messages whose end is known, if it is the same behind most of them.
LineLayout LogLayouts::Compile(const std::vector<LayoutSample>& samples, bool is_carrier) {
  LineLayout layout{.is_first_of_two = samples.front().is_first_of_two};
  std::map<std::string, std::vector<LayoutSample>> ends;
  size_t known = 0;
  for (const LayoutSample& sample : samples) {
    if (!sample.knows_end) continue;
    ++known;
    ends[SignatureOf(sample, &LayoutSample::after)].push_back(sample);
  }
  for (const auto& [signature, of_end] : ends) {
    if (!signature.empty() && of_end.size() * 2 > known) AddSteps(of_end, true, is_carrier, &layout);
  }
  if (!layout.after.empty() && layout.after.front().kind != StepKind::kLiteral) layout.after.clear();
  AddSteps(samples, false, is_carrier, &layout);
  return layout;
}

// Of each kind of line, what is before the inner line, if it belongs to another program.
void LogLayouts::LearnCarriers(const std::vector<std::string>& lines) {
  Groups groups;
  size_t headers = 0;
  for (const std::string_view line : lines) {
    LayoutSample sample{.line = line};
    size_t message = 0, end = 0;
    const size_t object = line.ends_with('}') ? line.find("{\"") : kNoToken;
    if (object != kNoToken) {
      message = std::min(object, kMaxHeader);
      sample.before = Tokenize(line, 0, message, true);
      if (Has(sample.before, TokenKind::kLevel)) continue;  // a message with an object
    } else {
      if (!FindSentence(line, &message, &end)) {
        const std::optional<GuessedHeader> guessed = GuessHeader(line, false);
        if (!guessed) continue;
        message = guessed->message;
      }
      sample.before = Tokenize(line, 0, message, true);
      sample.before.resize(InnerLine(sample), Token());
    }
    ++headers;
    if (!sample.before.empty()) groups[SignatureOf(sample, &LayoutSample::before)].push_back(std::move(sample));
  }
  for (const auto& [signature, samples] : groups) {
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

// The most frequent first: lines that one of these splits at the same place, or up to a logger, need no others.
void LogLayouts::AddLayouts(Groups* groups, bool is_guessed) {
  std::vector<std::vector<LayoutSample>> by_size;
  for (auto& [signature, samples] : *groups) by_size.push_back(std::move(samples));
  groups->clear();
  std::stable_sort(by_size.begin(), by_size.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  for (std::vector<LayoutSample>& samples : by_size) {
    std::erase_if(samples, [&](const LayoutSample& sample) {
      LogHeader header;
      bool is_first_of_two = false;
      return MatchKnown(sample.line, &header, &is_first_of_two) &&
             (!header.logger.empty() || header.message == (sample.before.empty() ? 0 : sample.before.back().end));
    });
    if (!samples.empty()) AddLayout(samples, is_guessed);
  }
}

// Layouts with more parts are before those that also fit, but find less in a line.
void LogLayouts::AddLayout(const std::vector<LayoutSample>& samples, bool is_guessed) {
  if (layouts_.size() == kMaxLayouts) {
    layouts_.erase(std::min_element(layouts_.begin(), layouts_.end(),
                                    [](const LineLayout& a, const LineLayout& b) { return a.uses < b.uses; }));
  }
  LineLayout layout = Compile(samples, false);
  layout.is_guessed = is_guessed;
  const auto parts = [](const LineLayout& any) { return any.before.size() + any.after.size(); };
  const auto less = std::find_if(layouts_.begin(), layouts_.end(),
                                 [&](const LineLayout& other) { return parts(other) < parts(layout); });
  layouts_.insert(less, std::move(layout));
}

void LogLayouts::Learn(const std::vector<std::string>& lines) {
  strange_ = 0;
  LearnCarriers(lines);
  std::vector<std::string_view> inner;
  LogTime time;
  for (const std::string& line : lines) inner.push_back(WithoutCarriers(line, &time));
  LearnHeaders(inner);
}

std::string_view LogLayouts::WithoutCarriers(std::string_view line, LogTime* time) {
  *time = {};
  LogHeader header;
  for (size_t i = 0; i < carriers_.size(); ++i) {
    if (!carriers_[i].Match(line, &header)) continue;
    // A program that passes lines on writes lines of its own, too.
    if (header.level != LogLevel::kNone && !sources_.contains(SourceOf(header))) continue;
    *time = header.time;
    return line.substr(header.message);
  }
  return line;
}

bool LogLayouts::MatchKnown(std::string_view line, LogHeader* header, bool* is_first_of_two) {
  for (LineLayout& layout : layouts_) {
    if (!layout.Match(line, header)) continue;
    if (layout.is_guessed && header->logger.empty() && BeginsWithLogger(line.substr(header->message))) continue;
    *is_first_of_two = layout.is_first_of_two;
    return true;
  }
  return false;
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
  if (!HasHeader(sample)) {
    if (!has_sentence || lacks_all_) return false;
    ++strange_;
    ++all_strange_;
    return false;
  }
  AddLayout({sample}, !has_sentence);
  return true;
}

bool LogLayouts::Match(std::string_view line, bool has_time, LogHeader* header, bool* is_first_of_two) {
  if (MatchKnown(line, header, is_first_of_two)) return true;
  if (line.empty() || line[0] == '\t' || (tried_ > kMaxTried && tried_++ % 64 != 0)) return false;
  if (LearnLine(line, has_time) && MatchKnown(line, header, is_first_of_two)) return true;
  ++tried_;
  size_t end = 0;
  *header = {};
  if (!lacks_all_ || !FindSentence(line, &header->message, &end)) return false;
  header->message_end = line.size();
  *is_first_of_two = false;
  return true;
}

bool LogLayouts::MatchSecond(std::string_view line, LogHeader* header) {
  constexpr size_t kMaxLevel = 15;  // and the colon behind it
  const size_t colon = line.substr(0, kMaxLevel).find(": ");
  if (colon == kNoToken || LogLevelOf(line.substr(0, colon)) == LogLevel::kNone) return false;
  header->level = LogLevelOf(line.substr(0, colon));
  header->message = colon + 2;
  header->message_end = line.size();
  return true;
}

}  // namespace sparkprof
