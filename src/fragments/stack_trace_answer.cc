// SPDX-License-Identifier: Apache-2.0

#include <string>

#include "analysis/findings/failures/failure_cause.h"
#include "base/text/text.h"
#include "fragments/fragment_readers.h"
#include "text_log/stack_trace.h"

namespace sparkprof {
namespace {

constexpr std::string_view kAbort = "Job aborted due to stage failure: ";

// The text from the exception on, without the words of a question before it: the line above the first frame of the JVM,
// or an earlier one that names an exception.
std::string_view FromException(std::string_view text) {
  std::string_view rest = text, above;
  while (!rest.empty()) {
    const std::string_view line = Trim(TakeLine(&rest));
    if (line.starts_with("at ") && line.ends_with(')')) break;
    if (line.starts_with("Traceback (") || line.starts_with("Exception in thread") || line.starts_with("Caused by: ") ||
        BeginsWithExceptionClass(line))
      return text.substr(static_cast<size_t>(line.data() - text.data()));
    if (!line.empty()) above = line;
  }
  return rest.empty() || above.empty() ? text : text.substr(static_cast<size_t>(above.data() - text.data()));
}

}  // namespace

std::string AnswerStackTrace(std::string_view text, FragmentAnswer* answer) {
  text = Trim(text);
  // Skips Spark's words before the cause: "Task 3 in stage 4.0 failed 4 times, most recent failure: Lost task 3.3 … (h2
  // executor 5)".
  const size_t abort = text.find(kAbort);
  if (abort != std::string_view::npos) {
    text.remove_prefix(abort + kAbort.size());
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t end = line.find("): ");
    answer->facts.emplace_back(line.substr(0, end == std::string_view::npos ? end : end + 1));
  } else {
    text = FromException(text);
  }
  const FailureCause cause = CauseOfFailure(text);
  if (!cause.line.empty()) answer->facts.push_back("Your code: " + cause.line);
  AddFailure(abort == std::string_view::npos ? "The program or a task" : "A task", text, "the log around the trace",
             answer);
  return cause.text;
}

}  // namespace sparkprof
