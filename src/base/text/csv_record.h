// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// Takes the first record of CSV from `text` (RFC 4180): values may be quoted and then contain commas and line breaks.
std::vector<std::string> TakeCsvRecord(std::string_view* text);

}  // namespace sparkprof
