// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "inputs/inputs.h"
#include "loader/application_loader.h"
#include "model/block.h"

namespace sparkprof {

// Unread parts of the inputs, with the reasons. Each is a sentence that starts with the path of the input.
struct InputProblems {
  std::vector<std::string> partly;        // partly read: damaged, truncated or duplicate
  std::vector<std::string> unrecognized;  // not read
  std::vector<std::string> notes;         // reached limits, and windows

  bool Empty() const { return partly.empty() && unrecognized.empty() && notes.empty(); }
};

// `reads_fragments`: the caller answers from fragments (Input::fragment), so they are no problem.
InputProblems ProblemsOf(const Inputs& inputs, const RecordingStatus& recordings,
                         const std::vector<InputOutcome>& outcomes, bool reads_fragments = false);

// The kind of a profile or fragment, which have no application, and the command that reads it: "a GC log of the JVM;
// `sparkprof findings` prints …".
std::string ReaderOf(const Input& input);

// Formats "skipped 2 invalid lines and 1 overlong line"; empty if there are none.
std::string SkippedLines(int64_t invalid, int64_t overlong);

}  // namespace sparkprof
