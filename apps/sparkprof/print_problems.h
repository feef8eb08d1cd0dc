// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "loader/input_problems.h"

namespace sparkprof {

// Problems of one kind that a text lists; JSON lists all.
inline constexpr size_t kMaxListed = 10;

// Prints unread and damaged inputs on standard error. Every verb that does not list them in its output calls it.
void PrintProblems(const InputProblems& problems);

// Whether all named inputs exist and may be read, which decides the exit code if none of them has data. A pipe is not
// readable: it has no writer, or its writer failed.
bool AreReadable(const std::vector<std::string>& paths);

// Where none of the inputs could be used: prints why and returns the exit code.
int ComplainNothingUsable(const std::vector<std::string>& paths, const InputProblems& problems);

}  // namespace sparkprof
