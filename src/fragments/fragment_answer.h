// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "analysis/answers.h"
#include "base/result.h"
#include "inputs/inputs.h"
#include "model/application.h"

namespace sparkprof {

// Answers from a fragment (Input::fragment), without secrets. Its findings have no saving, unless it has times.
struct FragmentAnswer {
  Application application;         // named after the input
  Answers answers;                 // the verdict names the kind; no rules of applications
  std::vector<std::string> facts;  // below the verdict, without periods
};

// Fails if the input cannot be read. Damage is a fact.
Result<FragmentAnswer> AnswerFragment(const Input& input);

// Facts from the progress of streaming queries, for an application whose log has nothing else; empty without progress.
std::vector<std::string> FactsOfStreams(const Application& application);

// Where nothing was found: "gc.log: a GC log of the JVM without known problems; the application's event log … shows …".
std::string WhyNoFindings(const Input& input);

}  // namespace sparkprof
