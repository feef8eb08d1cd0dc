// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// ToUtf8 with U+FFFD instead of what a terminal interprets rather than shows: control characters (C0 but newline and
// tab, DEL, C1), those that change the direction of text (UAX #9), and those that are invisible (zero-width space, tag
// characters), but not the joiners of scripts and emoji. For text that people read: a name must not move the cursor,
// hide text or change its order. Programs that read the text see what people see. ToOneLine does the same for a line.
std::string ForTerminal(std::string_view text);

}  // namespace sparkprof
