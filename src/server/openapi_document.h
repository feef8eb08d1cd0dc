// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sparkprof {

// openapi.json, with the parameters of pictures in the places that it marks: "@options of flame graphs".
const std::string& OpenApiDocument();

}  // namespace sparkprof
