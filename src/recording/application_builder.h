// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"
#include "recording/source_grouping.h"

namespace sparkprof {

// One application from everything that its sources recorded: Spark's events first, then what the sources saw
// themselves, which fills what the events leave out (or all of it, when the driver's recording is missing).
// With `from_log`, what was read from its event log, those events count and not the ones that the sources recorded.
Application BuildApplication(RecordedApplication&& recorded, Application&& from_log = {});

}  // namespace sparkprof
