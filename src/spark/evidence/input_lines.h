// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include "spark/evidence/evidence.h"
#include "spark/layouts/inputs.h"

namespace sparkprof {

// Hands the input's lines to `take`, block by block, up to `max_bytes`; what went wrong is in the outcome.
InputOutcome ReadLines(const Input& input, const std::function<void(std::string_view lines)>& take,
                       int64_t max_bytes = INT64_MAX);

}  // namespace sparkprof
