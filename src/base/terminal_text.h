// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Replaces characters that a terminal interprets instead of displaying by U+FFFD: control characters (C0 except newline
// and tab, DEL, C1), characters that change the text direction (UAX #9), and invisible ones (zero-width space, tag
// characters), except the joiners of scripts and emoji. A name must not move the cursor, hide text or change its order;
// programs that read the output see the same text as people. Also applies ToUtf8. ToOneLine does the same for a line.
std::string ForTerminal(std::string_view text);

}  // namespace sparkprof
