// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace sparkprof {

// For recordings of a job that is over: a block for each driver that did not write its last segment, as when it was
// killed. It has the notice of driver_end.h, with what `reason_of` returns for the application. Without it, readers
// cannot distinguish such a driver from one that still runs. Skips files that cannot be read: reading the recording
// reports them.
std::string EndsOfDrivers(const std::vector<std::string>& paths,
                          const std::function<std::string(const std::string& application)>& reason_of);

}  // namespace sparkprof
