// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/application.h"
#include "recording/source_grouping.h"

namespace sparkprof {

// Builds an application from the data of its sources: first from Spark's events, then from the sources' own
// observations, which fill gaps, or replace the events if the driver's recording is missing. `from_log` is the result
// of reading the event log; its events replace the recorded ones.
Application BuildApplication(RecordedApplication&& recorded, Application&& from_log = {});

// Setting recorded by the plugin in every profiled JVM: the share of executors to profile, "0" to "1".
inline constexpr char kExecutorFraction[] = "executor.fraction";

// Adds losses and notices for executors that ran tasks but recorded nothing, and for a missing driver, and marks the
// application incomplete. `recorded` has the IDs of executors with at least one segment; the driver's is "driver". Does
// nothing without a recorded executor fraction, because the application is then not from the plugin. Checks executors
// only if all of them should be profiled.
void NoteMissingExecutors(const std::set<std::string>& recorded, Application* application);

// Adds a loss and a notice for ended executors without a last segment: a lost machine takes its unsent data along.
// `last_ns`: time of the last segment received from these executors, by executor row.
void NoteUnsentEnds(const std::map<int32_t, int64_t>& last_ns, Application* application);

// Assigns CPU samples of a native engine's threads to the tasks that wait for it (engines/engines.h): tasks with
// wall-clock samples inside the engine, on the same executor and in the same or an adjacent time bucket. If several
// tasks wait, a sample in an operator belongs to those whose stage has the operator in its plan, if any, in proportion
// to their waiting time; the total stays the same. Stacks are appended below the waiting frame. Native memory allocated
// by these threads, and its release, is assigned as well. Samples in a bucket without such a task stay unchanged.
// Returns quickly if there is no engine.
void JoinPoolSamples(Application* application);

// In local-cluster mode, executors descend from the driver's JVM, so its agent records their processes, too, and CPU
// time and memory would count twice. Each group contains rows of `application`'s processes that are the same process;
// keeps only the executor's row, with its series.
void DropRepeatedProcesses(const std::vector<std::vector<int32_t>>& groups, Application* application);

}  // namespace sparkprof
