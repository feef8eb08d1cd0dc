// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "model/application.h"

namespace sparkprof {

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

}  // namespace sparkprof
