// SPDX-License-Identifier: Apache-2.0
#include "text_log/error_collector.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/redaction/redaction.h"
#include "base/text/text.h"
#include "model/hash_bytes.h"
#include "text_log/message_mask.h"
#include "text_log/stack_trace.h"

namespace sparkprof {
namespace {

constexpr size_t kMaxApplicationFrames = 8;
constexpr size_t kMaxOtherFrames = 3;
constexpr size_t kMaxText = 8192;

std::string Key(const StackTrace& trace) {
  std::string key;
  std::string_view last;
  for (const StackTrace::Exception& exception : trace.exceptions) {
    if (exception.name != last) key.append(exception.name).append("\n");
    last = exception.name;
  }
  size_t frames = 0;
  for (const std::string& frame : trace.frames) {
    if (frames == kMaxApplicationFrames) break;
    // The same frame again: the chain of causes repeats what is common.
    if (!IsApplicationFrame(frame) || key.find("\n" + frame + "\n") != std::string::npos) continue;
    key.append("at\n").append(frame).append("\n");
    ++frames;
  }
  if (frames > 0) return key;
  for (size_t i = 0; i < std::min(kMaxOtherFrames, trace.frames.size()); ++i) key.append(trace.frames[i]).append("\n");
  return key;
}

// "Lost executor 9 on 10.1.0.7:" with the lines that say why.
std::string WholeMessage(const LogRecord& record) {
  constexpr size_t kMaxReason = 300;
  std::string message(Trim(record.message));
  if (!message.ends_with(':')) return std::string(record.message);
  const size_t most = message.size() + kMaxReason;
  for (std::string_view lines = record.continuation; !lines.empty() && message.size() < most;) {
    const std::string_view line = Trim(TakeLine(&lines));
    if (!line.empty()) message.append(" ").append(line);
  }
  return std::string(CutUtf8(message, most));
}

}  // namespace

void ErrorCollector::Add(const LogRecord& record) {
  const bool is_printed = record.has_header && LineKindOf(record.continuation) == LineKind::kException;
  if (record.level < LogLevel::kWarn && !is_printed) return;
  const StackTrace trace = ParseStackTrace(record.message, record.continuation);
  std::string key;
  if (trace.exceptions.empty() || trace.frames.empty()) {
    MaskMessage(record.message.substr(0, kMaxText), &masked_);
    key = masked_;
  } else {
    key = Key(trace);
  }
  const uint64_t fingerprint = HashBytes(key);
  if (errors_.size() >= kMaxErrors && !errors_.contains(fingerprint)) {
    ++dropped_;
    return;
  }
  LogError& error = errors_[fingerprint];
  error.fingerprint = fingerprint;
  error.level = std::max(error.level, record.level);
  ++error.count;
  if (record.time_ns > 0 && (error.first_ns == 0 || record.time_ns < error.first_ns)) error.first_ns = record.time_ns;
  if (error.where.size() < kMaxPlaces) error.where.push_back(fmt::format("{}:{}", file_, record.line));
  if (record.time_ns < error.last_ns) return;
  error.last_ns = record.time_ns;
  error.stack = ToUtf8(record.continuation.substr(0, kMaxText));
  const std::string message = trace.exceptions.empty() ? WholeMessage(record) : std::string(record.message);
  error.message = ToUtf8(std::string_view(message).substr(0, kMaxText));
  if (trace.exceptions.empty()) return;
  const StackTrace::Exception& root = trace.exceptions[trace.root];
  error.exception = ToUtf8(trace.exceptions.front().name);
  error.root_cause = ToUtf8(root.message.empty() ? root.name : root.name + ": " + root.message);
  if (!record.has_header && record.message.starts_with("Traceback ")) error.message = error.root_cause;
}

std::vector<LogError> ErrorCollector::Errors() const {
  std::vector<LogError> errors;
  errors.reserve(errors_.size());
  for (const auto& [fingerprint, error] : errors_) {
    LogError& added = errors.emplace_back(error);
    std::tie(added.message, added.stack) = RedactLines(error.message, error.stack);
    RedactInPlace(&added.root_cause);
  }
  std::sort(errors.begin(), errors.end(), [](const LogError& a, const LogError& b) {
    if (a.last_ns != b.last_ns) return a.last_ns > b.last_ns;
    return a.count != b.count ? a.count > b.count : a.fingerprint < b.fingerprint;
  });
  return errors;
}

}  // namespace sparkprof
