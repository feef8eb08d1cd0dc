// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// "WholeStageCodegen (12)" becomes "WholeStageCodegen (#)": names that are numbered differently are equal.
std::string MaskNumbers(std::string_view text);

}  // namespace sparkprof
