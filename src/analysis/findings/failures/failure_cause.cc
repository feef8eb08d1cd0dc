// SPDX-License-Identifier: Apache-2.0
#include "analysis/findings/failures/failure_cause.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "analysis/findings/advice.h"
#include "base/text/text.h"
#include "profiles/frame_origin.h"
#include "text_log/stack_trace.h"

namespace sparkprof {
namespace {

constexpr size_t kCauseLength = 200;
constexpr std::string_view kOpenReason = " Reason:";     // in ExecutorLostFailure
constexpr std::string_view kVeloxReason = "\nReason: ";  // on a line of its own below VeloxRuntimeError
constexpr std::string_view kWorkerCrash = "Python worker exited unexpectedly (crashed)";

re2::StringPiece AsPiece(std::string_view text) { return {text.data(), text.size()}; }

// The frame in a line of a stack trace if it is the user's code; otherwise empty.
std::string LineOfTrace(std::string_view line) {
  static const re2::RE2 python("^\\s*File \"([^\"]+)\", line (\\d+), in (\\S+)");
  static const re2::RE2 jvm("^\\s*(?:at )?(?:[\\w.@-]*/)*([\\w.$<>]+)\\(([\\w$]+\\.(?:java|scala|kt)):(\\d+)\\)");
  std::string file, number, function;
  if (re2::RE2::PartialMatch(AsPiece(line), python, &file, &number, &function)) {
    if (OriginOf(function, file, FrameKind::kPython) != FrameOrigin::kUser) return {};
    return fmt::format("{} ({}:{})", function, file.substr(file.rfind('/') + 1), number);
  }
  if (re2::RE2::PartialMatch(AsPiece(line), jvm, &function, &file, &number)) {
    if (OriginOf(function, {}, FrameKind::kJit) != FrameOrigin::kUser) return {};
    return fmt::format("{} ({}:{})", function, file, number);
  }
  return {};
}

// The user's line closest to the failure: the JVM prints the innermost frame first, Python last.
std::string UserLine(std::string_view reason) {
  std::string in_jvm, in_python;
  while (!reason.empty()) {
    const std::string_view line = TakeLine(&reason);
    std::string found = LineOfTrace(line);
    if (found.empty()) continue;
    if (line.find("File \"") != std::string_view::npos) {
      in_python = std::move(found);
    } else if (in_jvm.empty()) {
      in_jvm = std::move(found);
    }
  }
  return in_python.empty() ? in_jvm : in_python;
}

}  // namespace

FailureCause CauseOfFailure(std::string_view reason) {
  FailureCause cause;
  if (reason.empty()) return cause;
  std::string_view rest = reason;
  const std::string_view first = Trim(TakeLine(&rest));
  const StackTrace trace = ParseStackTrace(first, rest);
  cause.line = UserLine(reason);
  if (first.starts_with("FetchFailed")) {
    // The message follows on the next line.
    const std::string_view message = rest.empty() ? std::string_view() : Trim(TakeLine(&rest));
    cause.text = message.empty() ? std::string(first) : fmt::format("FetchFailed: {}", message);
  } else if (first.ends_with(kOpenReason)) {
    // On Kubernetes, the reason follows on the next line.
    cause.text = fmt::format("{} {}", first, rest.empty() ? std::string_view() : Trim(TakeLine(&rest)));
  } else if (first.find(kWorkerCrash) != std::string_view::npos) {
    // The innermost exception is about the socket of the dead worker.
    cause.text = kWorkerCrash;
  } else if (const size_t at = reason.find(kVeloxReason);
             at != std::string_view::npos && reason.substr(0, at).find("Exception: Velox") != std::string_view::npos) {
    std::string_view velox = reason.substr(at + kVeloxReason.size());
    cause.text = fmt::format("Velox: {}", Trim(TakeLine(&velox)));
  } else if (trace.exceptions.empty()) {
    cause.text = first;
  } else {
    const StackTrace::Exception& root = trace.exceptions[trace.root];
    cause.text = root.message.empty() ? root.name : fmt::format("{}: {}", root.name, root.message);
  }
  cause.text = ShortenToClause(ToOneLine(cause.text), kCauseLength);
  return cause;
}

}  // namespace sparkprof
