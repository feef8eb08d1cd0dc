// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// The files of engines/, one after the other.
extern const std::string_view kEngineTables;

}  // namespace sparkprof
