// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Makes differently numbered names equal: "WholeStageCodegen (12)" becomes "WholeStageCodegen (#)".
std::string MaskNumbers(std::string_view text);

}  // namespace sparkprof
