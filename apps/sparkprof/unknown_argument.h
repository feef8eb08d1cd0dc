// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sparkprof {

// The message for an argument that the command does not accept, with its nearest option: "unknown option --formt; did
// you mean --format?".
std::string DescribeUnknownArgument(const CLI::App& command, const std::string& argument);

}  // namespace sparkprof
