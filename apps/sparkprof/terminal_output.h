// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "model/profile.h"

namespace sparkprof {

// An unused name such as "flame.svg" in the current folder if standard output is a terminal, which stacks would flood;
// empty for a file or a pipe.
std::string FileForTerminal();

// "Wrote flame.svg", and an event's functions with the largest self weight, for a terminal.
std::string WrittenText(const std::string& path, const Profile& profile, EventId event);

}  // namespace sparkprof
