// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <string>

#include "analysis/findings/failure_cause.h"
#include "base/lines.h"
#include "base/text.h"
#include "fragments/fragment_readers.h"

namespace sparkprof {
namespace {

// The place that Spark names: "Task 3 in stage 4.0 failed 4 times, most recent failure: Lost task 3.3 in stage 4.0 (TID
// 97) (h2 executor 5)".
std::string PlaceOf(std::string_view text) {
  constexpr std::string_view kBegin = "Job aborted due to stage failure: ";
  const size_t begin = text.find(kBegin);
  if (begin == std::string_view::npos) return {};
  text.remove_prefix(begin + kBegin.size());
  const std::string_view line = WithoutCarriageReturn(TakeLine(&text));
  return std::string(line.substr(0, line.find("): ")));
}

}  // namespace

std::string AnswerStackTrace(std::string_view text, FragmentAnswer* answer) {
  text = Trim(text);
  const FailureCause cause = CauseOfFailure(text);
  const std::string place = PlaceOf(text);
  if (!place.empty()) answer->facts.push_back(place + (place.find('(') == std::string::npos ? "" : ")"));
  if (!cause.line.empty()) answer->facts.push_back("Your code: " + cause.line);
  AddFailure("The program or a task", text, "the log around the trace", answer);
  return cause.text;
}

}  // namespace sparkprof
