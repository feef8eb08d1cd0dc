// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "event_log/event_state.h"

namespace sparkprof {

// SparkListenerTaskStart, SparkListenerTaskGettingResult and SparkListenerTaskEnd.
bool AddTaskStart(const simdjson::dom::object& event, EventState* state);
bool AddTaskEnd(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
