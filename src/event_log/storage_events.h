// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "event_log/event_state.h"

namespace sparkprof {

bool AddBlockUpdated(const simdjson::dom::object& event, EventState* state);
bool AddUnpersist(const simdjson::dom::object& event, EventState* state);
// Reads events that event_writer.h writes instead of updates of single blocks.
bool AddStorage(const simdjson::dom::object& event, EventState* state);

}  // namespace sparkprof
