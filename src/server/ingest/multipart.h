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
  std::string_view content;  // part of the body
};

// Splits a body with the Content-Type "multipart/form-data; boundary=…" into parts. Fails for other types and for a
// body without a final boundary.
Result<std::vector<FormPart>> ParseMultipart(std::string_view content_type, std::string_view body);

}  // namespace sparkprof
