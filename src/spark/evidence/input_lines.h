// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "base/line_reader.h"
#include "spark/evidence/evidence.h"
#include "spark/layouts/inputs.h"

namespace sparkprof {

// Hands the input's lines to `take`, block by block, until it says false; what went wrong is in the outcome.
InputOutcome ReadLines(const Input& input, const LineLimits& limits,
                       const std::function<bool(std::string_view lines)>& take);

}  // namespace sparkprof
