// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace sparkprof {

// The kind of content that starts with `head`, if it is a known format that sparkprof does not read: "a heap dump of
// the JVM (HPROF)"; empty if unknown. For messages.
std::string_view NameOfUnreadFormat(std::string_view head);

// Whether it is one whose lines look like those of formats that are read.
bool IsUnreadLookalike(std::string_view head);

}  // namespace sparkprof
