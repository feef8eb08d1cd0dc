// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/profile.h"

namespace sparkprof {

// An unused name such as "flame.svg" in the current folder where standard output is a terminal, which stacks would
// flood; empty where it is a file or a pipe.
std::string FileForTerminal();

// "Wrote flame.svg" and the functions with the largest own weight of an event, for a terminal.
std::string WrittenText(const std::string& path, const Profile& profile, EventId event);

}  // namespace sparkprof
