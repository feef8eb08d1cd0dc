// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "model/application.h"

namespace sparkprof {

// Parses a batch of a streaming query from Spark's JSON progress in event logs and text logs; without its query.
StreamingBatch StreamingBatchOf(const simdjson::dom::object& progress);

}  // namespace sparkprof
