// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "pictures/option.h"

namespace sparkprof {

// Adds options to a command; parsing sets the values that they are bound to.
void AddOptions(CLI::App& command, const RequestOptions& options);

}  // namespace sparkprof
