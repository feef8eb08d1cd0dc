// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// The part of the application's wall-clock time that each stage (a row) accounts for, ns: a moment belongs to the
// stages whose tasks run then, in proportion to their running tasks. The sum of all stages is the time in which a task
// ran; the rest of the duration is the driver's.
std::vector<int64_t> WallTimeOfStages(const Application& application);

}  // namespace sparkprof
