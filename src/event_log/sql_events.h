// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "event_log/event_state.h"

namespace sparkprof {

// SparkListenerSQLExecutionStart, …End, SparkListenerSQLAdaptiveExecutionUpdate and SparkListenerDriverAccumUpdates.
bool AddSqlExecutionStart(const simdjson::dom::object& event, EventState* state);
bool AddSqlExecutionEnd(const simdjson::dom::object& event, EventState* state);
bool AddSqlAdaptiveUpdate(const simdjson::dom::object& event, EventState* state);
bool AddSqlAdaptiveMetricUpdates(const simdjson::dom::object& event, EventState* state);
// GlutenPlanFallbackEvent.
bool AddEngineReasons(const simdjson::dom::object& event, EventState* state);
bool AddDriverAccumulatorUpdates(const simdjson::dom::object& event, EventState* state);

// Jobs and failures of the executions, and the values of their plans' metrics. After ResolveJobsAndStages.
void ResolveSqlExecutions(EventState* state);

}  // namespace sparkprof
