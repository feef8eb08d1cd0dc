// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// A part of a form (RFC 7578).
struct FormPart {
  std::string name;
  std::string_view content;  // of the body
};

// The parts of a body with this Content-Type, "multipart/form-data; boundary=…". Fails for another type, and for a body
// that does not end with the boundary.
Result<std::vector<FormPart>> ParseMultipart(std::string_view content_type, std::string_view body);

}  // namespace sparkprof
