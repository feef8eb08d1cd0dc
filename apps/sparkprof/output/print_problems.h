// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "loader/application_loader.h"

namespace sparkprof {

// Maximum number of problems per kind in text; JSON lists all.
inline constexpr size_t kMaxListed = 10;

// Prints unread and damaged inputs on standard error. For all commands that do not list them in their output.
void PrintProblems(const InputProblems& problems);

// Whether all named inputs exist and are readable, which determines the exit code if none of them has data. A pipe is
// unreadable if it has no writer or its writer failed.
bool AreReadable(const std::vector<std::string>& paths);

// Call if no input was usable: prints the reason and returns the exit code.
int ComplainNothingUsable(const std::vector<std::string>& paths, const InputProblems& problems);

}  // namespace sparkprof
