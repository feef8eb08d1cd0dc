// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "model/application.h"
#include "text_log/error_collector.h"

namespace sparkprof {

// The warnings and errors among the log records that were kept (all of them, within LogRecords' limits), the same ones
// once, newest first.
std::vector<LogError> ErrorsOf(const LogRecords& logs);

}  // namespace sparkprof
