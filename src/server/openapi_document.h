// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// openapi.json, as it is in this folder.
std::string_view OpenApiDocument();

}  // namespace sparkprof
