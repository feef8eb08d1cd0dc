// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/sample.h"

namespace sparkprof {

// A readable weight of `event`: "1.2 s", "340 MiB".
std::string FormatWeight(Event event, int64_t weight);

// For text inside XML elements and attributes: markup escaped, characters that XML forbids replaced by U+FFFD.
std::string EscapeXml(std::string_view text);

}  // namespace sparkprof
