// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "model/application.h"
#include "recording/source_grouping.h"

namespace sparkprof {

// Builds an application from the data of its sources: first from Spark's events, then from the sources' own
// observations, which fill gaps, or replace the events if the driver's recording is missing. `from_log` is the result
// of reading the event log; its events replace the recorded ones.
Application BuildApplication(RecordedApplication&& recorded, Application&& from_log = {});

}  // namespace sparkprof
