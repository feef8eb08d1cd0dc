// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection/selection.h"
#include "base/result.h"
#include "mcp/tool.h"
#include "model/application.h"
#include "profiles/stack_tree.h"

namespace sparkprof {

// The samples of a selection in the form in which text shows them: of one event, a frame for each function and for each
// line of Python, equal stacks once.
struct ShownSamples {
  Profile profile;
  EventId event = 0;        // its row
  std::string why_empty;    // a sentence; then there are no samples
  bool is_measured = true;  // the event was recorded: without samples there are 0 of the selection

  // Why there are none, as a line of an answer.
  std::string EmptyLine() const;
};

// `merged`: after ChooseLanguage. Without an event: wall, or else the profile's default. `through`: an expression that
// a frame of each stack matches, the argument of that name; empty = all. Fails for an invalid expression or selection,
// or too many samples.
Result<ShownSamples> ShowSamples(const Application& merged, const Selection& selection, const std::string& through);

// Rows of the samples that text shows. Of wall-clock samples these are the ones of tasks and of the user's code: those
// of threads that wait for work would be most of a JVM's. Without an event: wall, or else the profile's default; sets
// it.
Result<std::vector<uint32_t>> RowsToShow(const Application& merged, Selection* selection);

// Whether a frame is of the user's code.
bool IsUserCode(const Profile& profile, const Frame& frame);

// "8.2 s", "1.2 GiB", "812 samples": a weight in the event's unit.
std::string WeightText(const ProfileEvent& event, int64_t weight);

// "23.4%" of `whole`.
std::string PercentOf(int64_t part, int64_t whole);

// A frame as text names it, without the package of a JVM's class; marked by the caller.
std::string FrameName(const Profile& profile, FrameId frame);

// Adds a line for each of the `most` functions with the largest self weight, and of those of the user's code by total.
void AddTopFunctions(const ShownSamples& shown, size_t most, ToolAnswer* answer);

}  // namespace sparkprof
