// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// A part of an application or of a foreign profile. All members that are set must match. The page uses the same members
// (docs/report-data.md).
struct Selection {
  std::string event;  // event name, see Profile::FindEvent
  std::optional<int64_t> job;
  std::string tag;               // of jobs, see event_log/job_tags.h
  std::optional<int64_t> stage;  // all attempts of a stage, unless stage_attempt is set
  std::optional<int64_t> stage_attempt;
  std::optional<int64_t> sql;                 // SQL execution
  std::optional<int64_t> node;                // operator of the plan of `sql`, see plan_operators.h
  std::vector<int64_t> tasks;                 // TIDs; empty = all, and what belongs to no task
  std::optional<std::string> executor;        // Spark's id: "driver", "1"
  std::string host;                           // of executors and the driver
  std::string thread;                         // OS thread id, or an RE2 expression found in the thread's name
  std::optional<int64_t> from_ns;             // since the start of the application
  std::optional<int64_t> to_ns;               // a bucket that overlaps [from, to) is in
  ThreadState state = ThreadState::kUnknown;  // whether threads ran or slept; unknown = both
  std::string search;                         // an RE2 expression found in the name or label of a frame of the stack
  bool without_idle = false;                  // drops wall samples of idle pool threads
};

// Rows of `application.profile.samples` that match `selection`, in order. Fails for an invalid expression, and if a
// foreign profile lacks the requested data: jobs, tasks, times.
Result<std::vector<uint32_t>> SelectSamples(const Application& application, const Selection& selection);

// Leaves only these rows of the samples.
void KeepSamples(const std::vector<uint32_t>& rows, Profile* profile);

// Profiles without tables, for Transform: their stacks are those of `profile`.
// These rows, added up by event and stack, without threads, tasks and times.
Profile SumByStack(const Profile& profile, const std::vector<uint32_t>& rows);
// These rows of the samples.
Profile PickSamples(const Profile& profile, const std::vector<uint32_t>& rows);

// A sentence that explains why a selection has no samples and lists the available values.
std::string ExplainNoSamples(const Application& application, const Selection& selection);

// "3" or "3.0" as stage and attempt. Fails when it is neither.
Result<void> ParseStage(std::string_view text, Selection* selection);

}  // namespace sparkprof
