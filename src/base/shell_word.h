// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// `word` in quotes where it needs them, so that a POSIX shell reads it back unchanged, as one word: for each command
// that is printed for people to copy, and for those that a shell runs.
std::string ShellWord(std::string_view word);

}  // namespace sparkprof
