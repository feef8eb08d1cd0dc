// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// For text in XML elements and attributes: escapes markup and replaces characters that XML forbids by U+FFFD.
std::string EscapeXml(std::string_view text);

// Appends the character that the entity `name` stands for ("lt", "#39", "#x20AC"); false if it is unknown.
bool AppendXmlEntity(std::string_view name, std::string* text);

// `text` with its entities replaced; unknown ones stay.
std::string UnescapeXml(std::string_view text);

}  // namespace sparkprof
