// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Results of prompts/list and prompts/get as JSON: why_slow, why_failed, what_changed.
std::string ListPrompts();
// Fails for an unknown prompt, and for unknown or missing arguments.
Result<std::string> GetPrompt(std::string_view name, std::string_view arguments);

}  // namespace sparkprof
