// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/selection/selection.h"
#include "base/result.h"
#include "mcp/tool.h"
#include "model/application.h"
#include "profiles/stack_tree.h"

namespace sparkprof {

// Selected samples in the form for text: one event, one frame per function (per line for Python), no duplicate stacks.
struct ShownSamples {
  Profile profile;
  EventId event = 0;        // row of the event
  std::string why_empty;    // a sentence; set if there are no samples
  bool is_measured = true;  // whether the event was recorded, so that no samples means 0

  // Why there are no samples, as a line of an answer.
  std::string EmptyLine() const;
};

// `merged`: after ChooseLanguage. The default event is wall, else the profile's default. `through`: expression that a
// frame of each stack must match (the argument of that name); empty = all. Fails for an invalid expression or
// selection, or too many samples.
Result<ShownSamples> ShowSamples(const Application& merged, const Selection& selection, const std::string& through);

// Rows of the samples to show. Wall-clock samples are limited to tasks and user code, because idle threads would
// dominate. The default event is wall, else the profile's default; sets it.
Result<std::vector<uint32_t>> RowsToShow(const Application& merged, Selection* selection);

bool IsUserCode(const Profile& profile, const Frame& frame);

// A weight in the event's unit: "8.2 s", "1.2 GiB", "812 samples".
std::string WeightText(const ProfileEvent& event, int64_t weight);

// Formats `part` of `whole`: "23.4%".
std::string PercentOf(int64_t part, int64_t whole);

// Name of a frame, without the package of a JVM class. The caller must mark it.
std::string FrameName(const Profile& profile, FrameId frame);

// Adds a line for each of the `most` functions with the largest self weight, and of the user's functions by total.
void AddTopFunctions(const ShownSamples& shown, size_t most, ToolAnswer* answer);

// Formats "cpu 8.2 s in 812 samples".
std::string AmountOf(const ShownSamples& shown);

// Selects the other tasks in the stage attempt of the selected task. Fails if there are none.
Result<Selection> OtherTasks(const Application& application, const Selection& selection);

// Adds a line for each of the `most` frames with the largest difference in their shares.
void AddDifference(const ShownSamples& before, const ShownSamples& after, size_t most, ToolAnswer* answer);

}  // namespace sparkprof
