// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// Makes a source file's name comparable between runs: name and parent folder, without the numbers of containers,
// processes and temporary folders. Otherwise Python functions would differ between runs. The page uses the same rule
// (web/src/analysis/side_by_side.ts).
std::string LastingFile(std::string_view path);

}  // namespace sparkprof
