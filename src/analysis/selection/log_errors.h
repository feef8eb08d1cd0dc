// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/application.h"
#include "text_log/error_collector.h"

namespace sparkprof {

// The warnings and errors among the stored log records (all of them, within LogRecords' limits), without duplicates,
// newest first.
std::vector<LogError> ErrorsOf(const LogRecords& logs);

}  // namespace sparkprof
