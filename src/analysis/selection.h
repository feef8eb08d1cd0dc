// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// A part of an application, or of a foreign profile. Members that are not set let everything through; all that are set
// must hold. The report's page understands the same members (docs/report-data.md).
struct Selection {
  std::string event;  // its name, as Profile::FindEvent takes it
  std::optional<int64_t> job;
  std::optional<int64_t> stage;  // all attempts of a stage, unless stage_attempt is set
  std::optional<int64_t> stage_attempt;
  std::optional<int64_t> sql;                 // SQL execution
  std::vector<int64_t> tasks;                 // TIDs; empty = all, and what belongs to no task
  std::optional<std::string> executor;        // Spark's id: "driver", "1"
  std::string thread;                         // OS thread id, or an RE2 expression found in the thread's name
  std::optional<int64_t> from_ns;             // since the start of the application
  std::optional<int64_t> to_ns;               // a bucket that overlaps [from, to) is in
  ThreadState state = ThreadState::kUnknown;  // whether threads ran or slept; unknown = both
  std::string search;                         // an RE2 expression found in the name or label of a frame of the stack
  bool without_idle = false;                  // leaves out wall samples of pool threads that wait for a task
};

// Rows of `application.profile.samples` that `selection` lets through, in their order. Fails when an expression is
// none, and when a foreign profile has nothing of what is asked for: no jobs, no tasks, no times.
Result<std::vector<uint32_t>> SelectSamples(const Application& application, const Selection& selection);

// Leaves only these rows of the samples.
void KeepSamples(const std::vector<uint32_t>& rows, Profile* profile);

// Why a selection without samples has none, as one sentence that says what there is instead.
std::string ExplainNoSamples(const Application& application, const Selection& selection);

// "3" or "3.0" as stage and attempt. Fails when it is neither.
Result<void> ParseStage(std::string_view text, Selection* selection);

}  // namespace sparkprof
