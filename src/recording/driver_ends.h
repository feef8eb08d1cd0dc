// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sparkprof {

// Returns a block for each driver of a finished job that did not write its last segment, for example because it was
// killed. The block contains the notice of driver_end.h with the result of `reason_of`. Without it, readers cannot
// distinguish such a driver from a running one. Skips unreadable files: reading the recording reports them.
std::string EndsOfDrivers(const std::vector<std::string>& paths,
                          const std::function<std::string(const std::string& application)>& reason_of);

}  // namespace sparkprof
