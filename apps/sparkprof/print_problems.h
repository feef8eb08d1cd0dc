// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "loader/input_problems.h"

namespace sparkprof {

// Problems of one kind that a text lists; JSON lists all.
inline constexpr size_t kMostListed = 10;

// What was not read, on standard error: for every verb that loads inputs and does not list it in its output.
void PrintProblems(const InputProblems& problems);

// Where none of the inputs could be used: prints why and returns the exit code.
int ComplainNothingUsable(const std::vector<std::string>& paths, const InputProblems& problems);

}  // namespace sparkprof
