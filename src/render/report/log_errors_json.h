// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "base/json_writer.h"
#include "text_log/error_collector.h"

namespace sparkprof {

// The member of an error besides those of the contract for scripts.
enum class ErrorMembers { kContract, kLevel, kLevelAndStack };

// An array of {"fingerprint","message","exception","rootCause","count","first","last","where"} of the first
// `max_errors`; first and last are ms since the epoch. Unknown values are null.
void WriteLogErrors(const std::vector<LogError>& errors, ErrorMembers members, JsonWriter* json,
                    size_t max_errors = SIZE_MAX);

}  // namespace sparkprof
