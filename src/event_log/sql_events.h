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
bool AddEngineReasons(const simdjson::dom::object& event, EventState* state);
bool AddDriverAccumulatorUpdates(const simdjson::dom::object& event, EventState* state);

// Sets jobs and failures of executions, and metric values of their plans. Call after ResolveJobsAndStages.
void ResolveSqlExecutions(EventState* state);

}  // namespace sparkprof
