// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Quotes `word` if necessary, so that a POSIX shell reads it back unchanged as one word: for commands that are printed
// for copying or run by a shell.
std::string ShellWord(std::string_view word);

}  // namespace sparkprof
