// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "event_log/event_state.h"

namespace sparkprof {

// SparkListenerJobStart, SparkListenerJobEnd, SparkListenerStageSubmitted and SparkListenerStageCompleted.
bool AddJobStart(const simdjson::dom::object& event, EventState* state);
bool AddJobEnd(const simdjson::dom::object& event, EventState* state);
bool AddStageSubmitted(const simdjson::dom::object& event, EventState* state);
bool AddStageCompleted(const simdjson::dom::object& event, EventState* state);

// Sets jobs and SQL executions of stages and names of jobs, and marks skipped stages.
void ResolveJobsAndStages(EventState* state);

}  // namespace sparkprof
