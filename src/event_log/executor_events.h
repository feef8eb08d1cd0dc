// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "event_log/event_state.h"

namespace sparkprof {

// SparkListenerExecutorAdded, SparkListenerExecutorRemoved and SparkListenerBlockManagerAdded.
bool AddExecutorAdded(const simdjson::dom::object& event, EventState* state);
bool AddExecutorRemoved(const simdjson::dom::object& event, EventState* state);
bool AddBlockManagerAdded(const simdjson::dom::object& event, EventState* state);

// SparkListenerStageExecutorMetrics and SparkListenerResourceProfileAdded.
bool AddStageExecutorMetrics(const simdjson::dom::object& event, EventState* state);
bool AddResourceProfile(const simdjson::dom::object& event, EventState* state);

// The maxima of what an executor reported, with "Executor Metrics" or at a task's end.
void AddPeakMetrics(const simdjson::dom::object& metrics, Executor* executor);

}  // namespace sparkprof
