// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/answers.h"
#include "base/result.h"
#include "inputs/inputs.h"
#include "model/application.h"

namespace sparkprof {

// Follows the name of a pod in facts about delays of its start.
inline constexpr std::string_view kWhichStarted = ", which started";

// Redacted answers from a fragment (Input::fragment). Findings have a saving only if the fragment has times.
struct FragmentAnswer {
  Application application;         // named after the input
  Answers answers;                 // the verdict names the kind; rules for applications do not run
  std::vector<std::string> facts;  // printed below the verdict, without periods
};

// Fails if the input cannot be read. Reports damage as a fact.
Result<FragmentAnswer> AnswerFragment(const Input& input);

// Facts from the progress of streaming queries, for an application whose log has nothing else; empty if it has none.
std::vector<std::string> FactsOfStreams(const Application& application);

// Explains an answer without findings: "gc.log: a GC log of the JVM without known problems; the application's event log
// … shows …".
std::string WhyNoFindings(const Input& input);

}  // namespace sparkprof
