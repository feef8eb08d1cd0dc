// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace sparkprof {

// Prints the current stacks of a CPython process, read from outside without pausing it, for `sparkprof attach --dump`.
// Returns the exit code.
int PrintPythonStacks(int64_t pid, bool as_json);

}  // namespace sparkprof
