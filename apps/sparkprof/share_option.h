// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

namespace sparkprof {

// --share: who may read what the verb writes, see base/private_file.h.
void AddShareTo(CLI::App& command);

}  // namespace sparkprof
