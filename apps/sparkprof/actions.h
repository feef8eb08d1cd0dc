// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "command_tree.h"

namespace sparkprof {

// Adds the argument ACTION to a command that has rows in the table of actions: its values, and a text about each of
// them.
void AddActionTo(CLI::App& command, std::string* action);

// The part of a command that belongs to the action on its command line: `text` describes the command as a whole. Empty
// if there is no such action.
std::optional<CommandText> DescribeAction(const CLI::App& command, const CommandText& text);

}  // namespace sparkprof
