// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "event_log/event_state.h"

namespace sparkprof {

// Structured Streaming's QueryStartedEvent, QueryProgressEvent and QueryTerminatedEvent.
bool AddStreamingStart(const simdjson::dom::object& event, EventState* state);
bool AddStreamingProgress(const simdjson::dom::object& event, EventState* state);
bool AddStreamingEnd(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
