// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// The format of a file that sparkprof does not read, by its first bytes, with the fix if there is one: "a PNG image".
// Empty if unknown. 512 bytes are enough.
std::string_view NameOfOtherFormat(std::string_view head);

// Returns "an XML or HTML document", "an unknown JSON document", or empty.
std::string_view NameOfDocument(std::string_view head);

// The likely contents of text without a line of a log: "Python code", "a table of comma-separated values", "plain
// text".
std::string_view DescribeText(std::string_view head);

// Whether the first bytes are not text.
bool IsBinary(std::string_view head);

// One of the above, or "text", …; never empty. For content that no reader recognized.
std::string_view DescribeUnread(std::string_view head);

}  // namespace sparkprof
