// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// ToUtf8 with U+FFFD instead of what a terminal interprets rather than shows: control characters (C0 but newline and
// tab, DEL, C1) and those that change the direction of text (UAX #9). For text that people read: a name must not move
// the cursor, hide text or change its order. ToOneLine does the same for a line.
std::string ForTerminal(std::string_view text);

}  // namespace sparkprof
