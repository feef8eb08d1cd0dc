// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sparkprof {

// Adds --share: who may read the command's output (base/private_file.h).
void AddShareTo(CLI::App& command);

}  // namespace sparkprof
