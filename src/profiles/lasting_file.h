// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace sparkprof {

// A source file as it is called in every run: its name and that of its folder, without the numbers of containers,
// processes and temporary folders. Otherwise each run's Python functions would be different ones. The page has the same
// rule (web/src/analysis/side_by_side.ts).
std::string LastingFile(std::string_view path);

}  // namespace sparkprof
