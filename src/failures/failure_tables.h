// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// The files of failures/, one after the other.
extern const std::string_view kFailureTables;

}  // namespace sparkprof
