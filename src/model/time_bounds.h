// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"

namespace sparkprof {

// Makes the times of an application fit together: logs can lack their beginning or end, and clocks can jump. Afterwards
// every known begin and end is within the application's time, and no end is before its begin. A task that ended and
// whose start is unknown counts for no time, at its end; a notice reports how many there are. Of times that are years
// apart, those of most tasks count (clock_groups.h). Call once everything is read.
void BoundTimes(Application* application);

}  // namespace sparkprof
