// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Whether an operator's text in a plan calls the function: "ArrowEvalPython [score(id#0L)#4]" calls "score".
bool CallsFunction(std::string_view text, const std::string& function);

}  // namespace sparkprof
