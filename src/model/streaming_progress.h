// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include "model/application.h"

namespace sparkprof {

// A batch of a streaming query from Spark's JSON of its progress, which event logs and text logs have; without its
// query.
StreamingBatch StreamingBatchOf(const simdjson::dom::object& progress);

}  // namespace sparkprof
