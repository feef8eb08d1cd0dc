// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "model/application.h"

namespace sparkprof {

// The plugin records it in every profiled JVM: the share of executors to profile, "0" to "1".
inline constexpr char kExecutorFraction[] = "executor.fraction";

// Adds losses and notices for executors that ran tasks, and for the driver, if nothing at all of them was recorded, and
// marks the application incomplete. `recorded` holds the ids of executors with at least one segment; the driver's is
// "driver". Adds nothing when no share of executors was recorded: then the application is not the plugin's. Executors
// are checked only when all of them were to be profiled.
void NoteMissingExecutors(const std::set<std::string>& recorded, Application* application);

}  // namespace sparkprof
