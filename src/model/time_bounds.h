// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Makes the times of an application consistent: logs may lack their start or end, and clocks may jump. Afterwards every
// known start and end is within the application's time, and no end precedes its start. A task with an end but no start
// counts from the earliest possible moment, and its duration stays unknown; a notice reports the number of such tasks.
// If times are years apart, the ones of most tasks count (clock_groups.h). Call after reading everything.
void BoundTimes(Application* application);

}  // namespace sparkprof
