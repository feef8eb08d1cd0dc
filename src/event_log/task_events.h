// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "event_log/event_state.h"

namespace sparkprof {

// Adds an event whose rows in `lists` start at `position`.
bool AddTask(const DecodedTask& task, const TaskLists& lists, TaskListsPosition position, EventState* state);

// SparkListenerTaskStart, SparkListenerTaskGettingResult and SparkListenerTaskEnd.
bool AddTaskStart(const simdjson::dom::object& event, EventState* state);
bool AddTaskEnd(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
