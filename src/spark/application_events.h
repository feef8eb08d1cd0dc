// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "spark/event_state.h"

namespace sparkprof {

// SparkListenerLogStart, SparkListenerApplicationStart, SparkListenerApplicationEnd and SparkListenerEnvironmentUpdate.
bool AddLogStart(const simdjson::dom::object& event, EventState* state);
bool AddApplicationStart(const simdjson::dom::object& event, EventState* state);
bool AddApplicationEnd(const simdjson::dom::object& event, EventState* state);
// Secrets are redacted, whether Spark did it before or not.
bool AddEnvironmentUpdate(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
