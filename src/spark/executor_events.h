// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "spark/event_state.h"

namespace sparkprof {

// SparkListenerExecutorAdded, SparkListenerExecutorRemoved and SparkListenerBlockManagerAdded.
bool AddExecutorAdded(const simdjson::dom::object& event, EventState* state);
bool AddExecutorRemoved(const simdjson::dom::object& event, EventState* state);
bool AddBlockManagerAdded(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
