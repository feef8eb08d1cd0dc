// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/application.h"

namespace sparkprof {

// A part of an application or of another tool's profile. All set members must match. The page uses the same members
// (docs/report-data.md).
struct Selection {
  std::string event;  // event name; see Profile::FindEvent
  std::optional<int64_t> job;
  std::string tag;               // job tag; see event_log/tags/job_tags.h
  std::optional<int64_t> stage;  // all attempts of a stage, unless stage_attempt is set
  std::optional<int64_t> stage_attempt;
  std::optional<int64_t> sql;                 // SQL execution
  std::optional<int64_t> node;                // operator in the plan of `sql`; see plan_operators.h
  std::vector<int64_t> tasks;                 // TIDs; empty = all, including samples without a task
  std::optional<std::string> executor;        // Spark's ID: "driver", "1"
  std::string host;                           // host of executors and the driver
  std::string thread;                         // OS thread ID, or an RE2 expression that matches in the thread's name
  std::optional<int64_t> from_ns;             // since the start of the application
  std::optional<int64_t> to_ns;               // includes buckets that overlap [from, to)
  ThreadState state = ThreadState::kUnknown;  // running or sleeping threads; unknown = both
  std::string search;         // an RE2 expression that matches in the name or label of a frame of the stack
  bool without_idle = false;  // drops wall samples of idle pool threads
};

// Rows of `application.profile.samples` that match `selection`, in order. Fails for an invalid expression, and if
// another tool's profile lacks the required data: jobs, tasks, times.
Result<std::vector<uint32_t>> SelectSamples(const Application& application, const Selection& selection);

void KeepSamples(const std::vector<uint32_t>& rows, Profile* profile);

// Profiles without tables, for Transform: their stacks refer to `profile`. Sums these rows by event and stack, without
// threads, tasks and times.
Profile SumByStack(const Profile& profile, const std::vector<uint32_t>& rows);
Profile PickSamples(const Profile& profile, const std::vector<uint32_t>& rows);

// A sentence that explains why a selection has no samples and lists the available values.
std::string ExplainNoSamples(const Application& application, const Selection& selection);

// Parses "3" or "3.0" as stage and attempt.
Result<void> ParseStage(std::string_view text, Selection* selection);

}  // namespace sparkprof
