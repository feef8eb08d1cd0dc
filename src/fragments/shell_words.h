// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The words behind `program` ("spark-submit", also with a folder) in the first command of a shell that runs it: without
// quotes and continuations of lines, up to the end of the command. Empty if there is none. Variables stay as written.
std::vector<std::string> WordsOfCommand(std::string_view text, std::string_view program);

}  // namespace sparkprof
