// SPDX-License-Identifier: Apache-2.0
#include "text_log/named_fields.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/text/characters.h"
#include "base/text/json_parser.h"
#include "base/text/text.h"
#include "text_log/header_guess.h"
#include "text_log/known_messages.h"
#include "text_log/line_layout.h"

namespace sparkprof {
namespace {

constexpr int kMaxDepth = 4;  // nested objects

// 2: the field's own name is one of `names`; 1: its path contains one of `parts`; 0: neither.
int Hint(std::string_view path, std::initializer_list<std::string_view> names,
         std::initializer_list<std::string_view> parts) {
  const std::string lower = ToLowerAscii(path);
  const std::string_view name = std::string_view(lower).substr(lower.rfind('.') + 1);
  if (std::find(names.begin(), names.end(), name) != names.end()) return 2;
  const auto holds = [&](std::string_view part) { return lower.find(part) != std::string::npos; };
  return std::any_of(parts.begin(), parts.end(), holds) ? 1 : 0;
}

// A member of its own ("log.level") or of a nested object ({"log":{"level":…}}).
bool FindPath(const simdjson::dom::object& object, std::string_view path, simdjson::dom::element* value) {
  if (Find(object, path, value)) return true;
  simdjson::dom::object inner;
  for (size_t dot = path.find('.'); dot != std::string_view::npos; dot = path.find('.', dot + 1)) {
    if (ObjectAt(object, path.substr(0, dot), &inner) && FindPath(inner, path.substr(dot + 1), value)) return true;
  }
  return false;
}

// A word, syslog's number from 0 to 7, or pino's from 10 to 60; Google calls output without a level DEFAULT.
LogLevel LevelOfValue(std::string_view text) {
  if (text == "DEFAULT") return LogLevel::kInfo;
  if (!IsDigits(text) || text.size() > 2) return LogLevelOf(text);
  const int number = std::atoi(std::string(text).c_str());
  constexpr LogLevel kSyslog[] = {LogLevel::kFatal, LogLevel::kFatal, LogLevel::kFatal, LogLevel::kError,
                                  LogLevel::kWarn,  LogLevel::kInfo,  LogLevel::kInfo,  LogLevel::kDebug};
  if (number < 8) return kSyslog[number];
  return number % 10 == 0 && number <= 60 ? static_cast<LogLevel>(number / 10) : LogLevel::kNone;
}

// The text of a string, or of a number where there is room for it.
std::string_view ValueText(const simdjson::dom::element& value, std::string* number) {
  if (value.is_string()) return TextOf(value);
  if (number == nullptr || !value.is_number()) return {};
  *number = simdjson::minify(value);
  return *number;
}

LogTime TimeOfValue(std::string_view text, LogTimeParser* times) {
  if (text.empty()) return {};
  if (text.find_first_not_of("0123456789.eE+") == std::string_view::npos) {
    const int64_t epoch_ns = LogTimeParser::EpochNanos(std::strtod(std::string(text).c_str(), nullptr));
    return {.size = epoch_ns == 0 ? 0 : text.size(), .time_ns = epoch_ns, .has_zone = true, .is_exact = true};
  }
  return times->Parse(text);
}

// Splits a row into at most `most` cells, without their quotes. False if a quoted cell does not end.
bool SplitRow(std::string_view line, char separator, size_t most, std::vector<std::string>* cells) {
  cells->clear();
  for (;;) {
    std::string& cell = cells->emplace_back();
    if (line.starts_with('"')) {
      size_t at = 1;
      for (;; ++at) {
        const size_t quote = line.find('"', at);
        if (quote == std::string_view::npos) return false;
        cell.append(line.substr(at, quote - at));
        at = quote + 1;
        if (line.substr(at, 1) != "\"") break;
        cell += '"';
      }
      line.remove_prefix(at);
      line.remove_prefix(std::min(line.find(separator), line.size()));
    } else {
      const size_t size = cells->size() == most ? line.size() : std::min(line.find(separator), line.size());
      cell = Trim(line.substr(0, size));
      line.remove_prefix(size);
    }
    if (line.empty()) return true;
    line.remove_prefix(1);
  }
}

}  // namespace

bool NamedFields::ParseObject(std::string_view line, simdjson::dom::object* object) {
  padded_.assign(line);
  padded_.append(simdjson::SIMDJSON_PADDING, ' ');
  simdjson::dom::element document;
  simdjson::error_code error = parser_.parse(padded_.data(), line.size(), false).get(document);
  if (error == simdjson::UTF8_ERROR) {
    padded_ = ToUtf8(line);
    const size_t size = padded_.size();
    padded_.append(simdjson::SIMDJSON_PADDING, ' ');
    error = parser_.parse(padded_.data(), size, false).get(document);
  }
  return error == simdjson::SUCCESS && document.get_object().get(*object) == simdjson::SUCCESS;
}

void NamedFields::LearnObject(std::string_view line) {
  simdjson::dom::object object;
  if (!ParseObject(line, &object)) return;
  Note(object, {}, 0);
  Rank();
}

void NamedFields::Note(const simdjson::dom::object& object, const std::string& path, int depth) {
  std::string number;
  for (const simdjson::dom::key_value_pair member : object) {
    const std::string own = path + std::string(member.key);
    simdjson::dom::object inner;
    if (depth < kMaxDepth && member.value.get_object().get(inner) == simdjson::SUCCESS) {
      Note(inner, own + ".", depth + 1);
    } else if (member.value.is_string() || member.value.is_number()) {
      NoteText(own, ValueText(member.value, &number), member.value.is_number());
    }
  }
}

void NamedFields::NoteText(const std::string& path, std::string_view text, bool is_number) {
  if (fields_.size() >= kMaxFields && !fields_.contains(path)) return;
  const size_t order = fields_.size();
  Field& field = fields_[path];
  if (field.seen++ == 0) field.order = order;
  LogTimeParser times;
  field.times += TimeOfValue(text, &times).size == text.size() && !text.empty() ? 1 : 0;
  // A number is a level only by its name.
  const bool may_be_level = !IsDigits(text) || Hint(path, {}, {"level", "severity", "priority"}) > 0;
  field.levels += may_be_level && LevelOfValue(text) != LogLevel::kNone ? 1 : 0;
  if (text != field.last) {
    ++field.changes;
    field.last = text;
  }
  if (is_number) return;
  size_t begin = 0, end = 0;
  ++field.texts;
  field.size += text.size();
  field.sentences += AllMessages().FindIn(text.substr(0, kMaxHeader), &begin, &end) ? 1 : 0;
  field.classes += IsClassLike(text) ? 1 : 0;
  field.threads += IsThreadLike(text) ? 1 : 0;
  field.stacks += text.find("\n\tat ") != std::string_view::npos || text.starts_with("Traceback (") ? 1 : 0;
  field.words += text.find(' ') != std::string_view::npos ? 1 : 0;
}

// How well the field has the role; 0 = not at all.
double NamedFields::ScoreOf(Role role, const std::string& path, const Field& field) const {
  constexpr double kHint = 5;
  const auto share = [&](size_t count) { return static_cast<double>(count) / static_cast<double>(field.seen); };
  const auto depth = static_cast<double>(std::count(path.begin(), path.end(), '.'));
  const bool is_exception = Hint(path, {}, {"exception.", "error.", "thrown.", "stack"}) > 0;
  const bool is_constant = field.seen > 4 && field.changes == 1;
  int hint = 0;
  switch (role) {
    case kTime:
      hint = Hint(path, {"ts", "timestamp", "@timestamp", "time", "asctime", "date", "datetime", "t"},
                  {"time", "date", "stamp", "epoch"});
      if (share(field.times) < 0.5 || is_constant) return 0;
      return 1 + kHint * hint - depth / 2;
    case kLevel:
      hint =
          Hint(path, {"level", "severity", "levelname", "lvl", "loglevel", "sev"}, {"level", "severity", "priority"});
      // A field with this name may have words of its own in some lines.
      if (share(field.levels) < (hint == 2 ? 0.5 : 1) || (field.texts == 0 && hint == 0) || is_exception) return 0;
      return 1 + kHint * hint + depth / 2;
    case kMessage:
      hint = Hint(path,
                  {"msg", "message", "text", "log", "line", "_raw", "textpayload", "body", "short_message", "@message"},
                  {"message", "text", "event", "msg"});
      if (field.texts < field.seen || field.times == field.seen || field.stacks * 2 > field.seen || is_exception)
        return 0;
      if (field.sentences == 0 && hint < 2 && (by_role_[kLevel].empty() || (hint == 0 && share(field.words) < 0.5)))
        return 0;
      return 20 * share(field.sentences) + kHint * hint + 2 * share(field.words) - depth / 2 +
             std::min(1.0, share(field.size) / 256);
    case kLogger:
      hint = Hint(path, {"logger", "logger_name", "loggername"}, {"logger"});
      hint = std::max(hint, std::min(1, Hint(path, {"class", "name", "category", "source"}, {})));
      if (field.texts < field.seen || is_exception || share(field.words) > (hint == 2 ? 0.5 : 0) ||
          Hint(path, {}, {"thread", "task"}) > 0)
        return 0;
      if (field.times == field.seen || (hint == 0 && share(field.classes) < 0.9)) return 0;
      return 1 + kHint * hint + 4 * share(field.classes) - depth / 2 - (is_constant ? 3 : 0);
    case kThread:
      hint = Hint(path, {"thread", "thread_name", "threadname"}, {"thread", "task_name", "taskname"});
      if (field.texts < field.seen || (hint == 0 && (field.changes < 5 || share(field.threads) < 0.9))) return 0;
      return 1 + kHint * hint - depth / 2;
    case kStack:
      hint = Hint(path, {"stack_trace", "stacktrace", "exc_info", "stack"}, {"stack_trace", "stacktrace"});
      return field.texts == field.seen && (hint > 0 || field.stacks * 2 > field.seen) ? 1 + kHint * hint - depth / 2
                                                                                      : 0;
    case kNanos:
      return field.texts == 0 && Hint(path, {}, {"nano"}) > 0 ? 1 : 0;
  }
  return 0;
}

void NamedFields::Rank() {
  for (const Role role : {kTime, kLevel, kMessage, kLogger, kThread, kStack, kNanos}) {
    std::vector<std::pair<double, const std::string*>> scores;
    for (const auto& [path, field] : fields_) {
      if (const double score = ScoreOf(role, path, field); score > 0) scores.emplace_back(score, &path);
    }
    std::stable_sort(scores.begin(), scores.end(), [&](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : fields_.at(*a.second).order < fields_.at(*b.second).order;
    });
    by_role_[role].clear();
    for (const auto& [score, path] : scores) by_role_[role].push_back(*path);
  }
  if (by_role_[kMessage].empty()) return;
  std::erase(by_role_[kLogger], by_role_[kMessage].front());
  std::erase(by_role_[kThread], by_role_[kMessage].front());
}

// Whether the parts that are known make a record.
bool NamedFields::Finish(std::string_view time, std::string_view level, NamedRecord* record) {
  record->time = TimeOfValue(time, &times_);
  record->level = LevelOfValue(level);
  return !record->message.empty() || (record->level != LogLevel::kNone && record->time.size > 0);
}

bool NamedFields::Fill(const simdjson::dom::object& object, NamedRecord* record) {
  simdjson::dom::element value;
  std::string time_number, level_number, nanos;
  const auto text_of = [&](Role role, std::string* number = nullptr) {
    for (const std::string& path : by_role_[role]) {
      if (!FindPath(object, path, &value)) continue;
      const std::string_view text = ValueText(value, number);
      if (!text.empty()) return text;
    }
    return std::string_view();
  };
  record->message = text_of(kMessage);
  record->logger = text_of(kLogger);
  record->thread = text_of(kThread);
  const std::string_view time = text_of(kTime, &time_number), level = text_of(kLevel, &level_number);
  if (!Finish(time, level, record)) return false;
  if (record->time.size > 0 && record->time.time_ns % kNanosPerSecond == 0) {
    record->time.time_ns += std::clamp<int64_t>(ParseInteger(text_of(kNanos, &nanos)).value_or(0), 0, kNanosPerSecond);
  }
  stack_.clear();
  simdjson::dom::object exception;
  for (const std::string_view key : {"exception", "thrown"}) {
    if (stack_.empty() && ObjectAt(object, key, &exception)) AddException(exception);
  }
  if (stack_.empty()) stack_ = text_of(kStack);
  // Loggers of Go, as in operators of Kubernetes, have the cause beside the message.
  for (const std::string_view key : {"error", "errorMessage", "err"}) {
    if (stack_.empty()) stack_ = TextAt(object, key);
  }
  record->stack = stack_;
  return true;
}

bool NamedFields::Parse(std::string_view line, NamedRecord* record, bool* is_open) {
  *record = {};
  *is_open = false;
  if (IsTable()) return ParseRow(line, record, is_open);
  if (line.ends_with(',')) line.remove_suffix(1);  // element of an array
  simdjson::dom::object object;
  if (!line.starts_with('{') || !line.ends_with('}') || !ParseObject(line, &object)) return false;
  if (Fill(object, record)) return true;
  if (++tried_ > kMaxTried) return false;
  Note(object, {}, 0);
  Rank();
  *record = {};
  return Fill(object, record);
}

bool NamedFields::LearnTable(const std::vector<std::string>& lines) {
  constexpr size_t kMaxRows = 50, kMaxName = 64;
  if (lines.size() < 2) return false;
  for (const char separator : {',', ';', '\t', '|'}) {
    if (!SplitRow(lines[0], separator, SIZE_MAX, &columns_) || columns_.size() < 2) continue;
    std::set<std::string> names;
    for (const std::string& name : columns_) {
      const bool is_name = name.size() <= kMaxName && !IsDigits(name) && LogTimeParser().Parse(name + " ").size == 0 &&
                           LogLevelOf(name) == LogLevel::kNone && name.find_first_of("{}=") == std::string::npos;
      if (is_name && !name.empty()) names.insert(name);
    }
    const auto empty = static_cast<size_t>(std::count(columns_.begin(), columns_.end(), ""));
    if (names.size() + empty != columns_.size() || names.size() < 2) continue;
    size_t rows = 0, others = 0;
    std::string row;
    for (size_t i = 1; i < lines.size() && i < kMaxRows; ++i) {
      row += lines[i];
      if (!SplitRow(row, separator, columns_.size(), &cells_)) {
        row += '\n';
        continue;
      }
      row.clear();
      ++(cells_.size() == columns_.size() ? rows : others);
      for (size_t cell = 0; cell < cells_.size() && cells_.size() == columns_.size(); ++cell)
        NoteText(columns_[cell], cells_[cell], false);
    }
    Rank();
    if (rows > others * 4 && !by_role_[kMessage].empty() && !by_role_[kTime].empty()) {
      separator_ = separator;
      return true;
    }
    fields_.clear();
    Rank();
  }
  return false;
}

bool NamedFields::ParseRow(std::string_view line, NamedRecord* record, bool* is_open) {
  if (!SplitRow(line, separator_, columns_.size(), &cells_)) {
    *is_open = true;
    return true;
  }
  if (cells_.size() != columns_.size()) return false;
  const auto text_of = [&](Role role) {
    for (const std::string& path : by_role_[role]) {
      const auto column = static_cast<size_t>(std::find(columns_.begin(), columns_.end(), path) - columns_.begin());
      if (column < cells_.size() && !cells_[column].empty()) return std::string_view(cells_[column]);
    }
    return std::string_view();
  };
  record->message = text_of(kMessage);
  record->logger = text_of(kLogger);
  record->thread = text_of(kThread);
  record->stack = text_of(kStack);
  return Finish(text_of(kTime), text_of(kLevel), record) && record->time.size > 0;
}

// Java's form: "class: msg", then frames. The stack trace is a text, an array of lines, or one of objects.
void NamedFields::AddException(const simdjson::dom::object& exception) {
  const auto first_text = [&](std::initializer_list<std::string_view> keys) {
    for (const std::string_view key : keys) {
      if (const std::string_view text = TextAt(exception, key); !text.empty()) return text;
    }
    return std::string_view();
  };
  stack_ = first_text({"class", "exception_class", "name"});
  const std::string_view message = first_text({"msg", "exception_message", "message"});
  if (!message.empty()) stack_.append(stack_.empty() ? "" : ": ").append(message);
  const std::string_view text = first_text({"stacktrace", "extendedStackTrace"});
  if (!text.empty()) {
    if (text.starts_with(stack_)) {
      stack_ = text;
    } else {
      stack_.append("\n").append(text);
    }
    return;
  }
  simdjson::dom::array frames;
  if (!ArrayAt(exception, "stacktrace", &frames) && !ArrayAt(exception, "extendedStackTrace", &frames)) return;
  for (const simdjson::dom::element frame : frames) {
    simdjson::dom::object parts;
    if (frame.get_object().get(parts) == simdjson::SUCCESS) {
      std::string_view line = TextAt(parts, "line");  // a text in Spark, a number elsewhere
      const std::string number = std::to_string(IntegerAt(parts, "line", -1));
      if (line.empty()) line = number;
      const std::string_view type = TextAt(parts, "class");  // Python's frames have none
      stack_.append("\n\tat ").append(type).append(type.empty() ? "" : ".").append(TextAt(parts, "method"));
      stack_.append("(").append(TextAt(parts, "file")).append(":").append(line).append(")");
    } else {
      stack_.append("\n").append(TextOf(frame));
    }
  }
}

}  // namespace sparkprof
