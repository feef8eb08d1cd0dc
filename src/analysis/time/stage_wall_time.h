// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "model/application.h"

namespace sparkprof {

// Each stage's (row's) part of the application's wall-clock time, ns: a moment is divided among the stages with running
// tasks, in proportion to their number. The sum over all stages is the time in which a task ran; the rest of the
// duration is the driver's.
std::vector<int64_t> WallTimeOfStages(const Application& application);

}  // namespace sparkprof
