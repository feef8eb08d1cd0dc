// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// Returns openapi.json with the picture parameters inserted at its marks: "@options of flame graphs".
const std::string& OpenApiDocument();

}  // namespace sparkprof
