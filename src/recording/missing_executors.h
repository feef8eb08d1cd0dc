// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "model/application.h"

namespace sparkprof {

// The plugin records it in every profiled JVM: the share of executors to profile, "0" to "1".
inline constexpr char kExecutorFraction[] = "executor.fraction";

// Adds losses and notices for executors that ran tasks but recorded nothing, and for a missing driver, and marks the
// application incomplete. `recorded` has the IDs of executors with at least one segment; the driver's is "driver". No
// effect if no executor fraction was recorded: the application is then not from the plugin. Checks executors only if
// all of them should be profiled.
void NoteMissingExecutors(const std::set<std::string>& recorded, Application* application);

}  // namespace sparkprof
