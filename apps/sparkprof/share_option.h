// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sparkprof {

// --share: who may read what the verb writes, see base/private_file.h. `chosen` receives the word where it is not null.
void AddShareTo(CLI::App& command, std::string* chosen = nullptr);

}  // namespace sparkprof
