// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// For text in XML elements and attributes: escapes markup and replaces characters that XML forbids by U+FFFD.
std::string EscapeXml(std::string_view text);

}  // namespace sparkprof
