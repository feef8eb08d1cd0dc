// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Escapes text for XML elements and attributes: markup is escaped, and characters that XML forbids become U+FFFD.
std::string EscapeXml(std::string_view text);

}  // namespace sparkprof
