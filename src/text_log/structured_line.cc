// SPDX-License-Identifier: Apache-2.0
#include "text_log/structured_line.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/json_value.h"
#include "base/text.h"
#include "text_log/log_header.h"

namespace sparkprof {
namespace {

constexpr int64_t kMaxEpochSeconds = 9'000'000'000;  // the year 2255

std::string_view FirstTextAt(const simdjson::dom::object& object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) {
    const std::string_view text = TextAt(object, key);
    if (!text.empty()) return text;
  }
  return {};
}

// Since the Unix epoch: a number in seconds, or in a unit 1,000 times smaller for every three further digits; log4j2's
// {"epochSecond":…,"nanoOfSecond":…}. 0 = none.
int64_t EpochNanosAt(const simdjson::dom::object& object) {
  simdjson::dom::object instant;
  if (ObjectAt(object, "instant", &instant)) {
    const int64_t seconds = IntegerAt(instant, "epochSecond", 0);
    if (seconds <= 0 || seconds > kMaxEpochSeconds) return 0;
    return seconds * kNanosPerSecond + std::clamp<int64_t>(IntegerAt(instant, "nanoOfSecond", 0), 0, kNanosPerSecond);
  }
  for (const std::string_view key : {"ts", "timestamp", "@timestamp", "time", "timeMillis", "date"}) {
    simdjson::dom::element value;
    double number = 0;
    if (!Find(object, key, &value) || value.get_double().get(number) != simdjson::SUCCESS || number <= 0) continue;
    for (int unit = 0; unit < 3 && number > kMaxEpochSeconds; ++unit) number /= 1000;
    if (number <= kMaxEpochSeconds) return std::llround(number * 1e6) * 1000;
  }
  return 0;
}

// Seconds and nanoseconds in members of their own, as fluentd writes them for Google Cloud Logging; 0 = none.
int64_t SplitEpochNanosAt(const simdjson::dom::object& object) {
  const int64_t seconds = IntegerAt(object, "timestampSeconds", 0);
  if (seconds <= 0 || seconds > kMaxEpochSeconds) return 0;
  return seconds * kNanosPerSecond + std::clamp<int64_t>(IntegerAt(object, "timestampNanos", 0), 0, kNanosPerSecond);
}

// A text in a member of its own ("log.level") or in a nested object ({"log":{"level":…}}).
std::string_view TextAtPath(const simdjson::dom::object& object, std::string_view path) {
  const std::string_view flat = TextAt(object, path);
  const size_t dot = path.find('.');
  if (!flat.empty() || dot == std::string_view::npos) return flat;
  simdjson::dom::object inner;
  return ObjectAt(object, path.substr(0, dot), &inner) ? TextAtPath(inner, path.substr(dot + 1)) : std::string_view();
}

std::string UpperCaseJsonLevel(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return upper;
}

}  // namespace

bool StructuredLineParser::ParseObject(std::string_view line, simdjson::dom::object* object) {
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

bool StructuredLineParser::Parse(std::string_view line, StructuredRecord* record) {
  *record = {};
  const auto has = [&](std::string_view text) { return line.find(text) != std::string_view::npos; };
  if (!line.starts_with('{') || !line.ends_with('}') ||
      (!has("level\"") && !has("\"severity\"") && !has("\"levelname\"")))
    return false;
  simdjson::dom::object object;
  if (!ParseObject(line, &object)) return false;
  const std::string_view time = FirstTextAt(object, {"ts", "timestamp", "@timestamp", "time", "asctime"});
  simdjson::dom::object payload;  // with the message
  if (!ObjectAt(object, "jsonPayload", &payload)) payload = object;
  const std::string_view message = FirstTextAt(payload, {"msg", "message"});
  std::string_view level = FirstTextAt(object, {"level", "severity", "levelname"});
  if (level.empty()) level = TextAtPath(object, "log.level");
  record->level = level == "DEFAULT" ? LogLevel::kInfo : LogLevelOf(UpperCaseJsonLevel(level));
  simdjson::dom::object exception;
  const bool has_exception = ObjectAt(object, "exception", &exception);
  if (record->level == LogLevel::kNone || (time.empty() && message.empty())) return false;
  record->time = times_.Parse(time);
  int64_t epoch_ns = time.empty() ? EpochNanosAt(object) : 0;
  if (time.empty() && epoch_ns == 0) epoch_ns = SplitEpochNanosAt(object);
  if (epoch_ns > 0) record->time = {.size = 1, .time_ns = epoch_ns, .has_zone = true, .is_exact = true};
  record->logger = FirstTextAt(payload, {"logger", "logger_name", "loggerName", "name", "class"});
  if (record->logger.empty()) record->logger = TextAtPath(object, "log.logger");
  record->thread = FirstTextAt(payload, {"thread", "thread_name"});
  if (record->thread.empty()) record->thread = TextAtPath(object, "process.thread.name");
  record->message = message;
  LogHeader header;
  if (headers_.Parse(message, &header) && header.time.size > 0 && header.level != LogLevel::kNone) {
    // A collector's record of a log line.
    if (!record->time.has_zone) record->time = header.time;
    record->level = header.level;
    record->thread = header.thread;
    record->logger = header.logger;
    record->message = message.substr(header.message, header.message_end - header.message);
  }
  stack_.clear();
  if (has_exception) AddException(exception);
  for (const std::string_view key : {"stack_trace", "exc_info", "stackTrace"}) {
    const std::string_view text = TextAt(object, key);
    if (!text.empty() && stack_.empty()) stack_ = text;
  }
  if (stack_.empty()) stack_ = TextAtPath(object, "error.stack_trace");
  record->stack = stack_;
  simdjson::dom::object context;
  if (record->thread.empty() && ObjectAt(object, "context", &context)) {
    record->thread = FirstTextAt(context, {"task_name", "mdc.taskName"});
  }
  return true;
}

// Java's form: "class: msg", then frames. The stack trace is a text, an array of lines, or one of objects.
void StructuredLineParser::AddException(const simdjson::dom::object& exception) {
  stack_ = FirstTextAt(exception, {"class", "exception_class"});
  const std::string_view message = FirstTextAt(exception, {"msg", "exception_message"});
  if (!message.empty()) stack_.append(stack_.empty() ? "" : ": ").append(message);
  const std::string_view text = TextAt(exception, "stacktrace");
  if (!text.empty()) {
    if (text.starts_with(stack_)) {
      stack_ = text;
    } else {
      stack_.append("\n").append(text);
    }
    return;
  }
  simdjson::dom::array frames;
  if (!ArrayAt(exception, "stacktrace", &frames)) return;
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

bool StructuredLineParser::ParseTextPayload(std::string_view line, LogTime* time, std::string_view* text) {
  const auto has = [&](std::string_view key) { return line.find(key) != std::string_view::npos; };
  const bool has_level = has("level\"") || has("\"severity\"") || has("\"levelname\"");
  simdjson::dom::object object;
  if ((has_level && !has("\"textPayload\"")) || !line.ends_with('}') || !ParseObject(line, &object)) return false;
  *text = TextAt(object, "textPayload");
  if (text->empty() && !has_level) *text = FirstTextAt(object, {"message", "log", "msg", "line", "_raw"});
  if (text->empty()) return false;
  *time = times_.Parse(FirstTextAt(object, {"timestamp", "@timestamp", "time", "ts", "date"}));
  if (const int64_t epoch_ns = time->size > 0 ? 0 : EpochNanosAt(object); epoch_ns > 0)
    *time = {.size = 1, .time_ns = epoch_ns, .has_zone = true, .is_exact = true};
  return true;
}

bool StructuredLineParser::ParseDocker(std::string_view line, LogTime* time, std::string_view* text, bool* is_stderr) {
  if (!line.starts_with("{\"log\":") && !line.starts_with("{\"stream\":") && !line.starts_with("{\"time\":")) {
    return false;
  }
  simdjson::dom::object object;
  simdjson::dom::element log;
  simdjson::dom::object kubernetes;
  if (!ParseObject(line, &object) || !Find(object, "log", &log) || !log.is_string()) return false;
  // Fluentd and Fluent Bit take the newline off and add where the line is from.
  if (ObjectAt(object, "kubernetes", &kubernetes)) return false;
  *time = times_.Parse(TextAt(object, "time"));
  *is_stderr = TextAt(object, "stream") == "stderr";
  message_ = TextOf(log);
  *text = message_;
  return true;
}

}  // namespace sparkprof
