// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// The locations whose logs are in a fleet's result, so that a collector can open them there:
// OUT/_sparkprof/locations.jsonl, a string on each line.

// Adds those that are new, local ones with their whole path. One process at a time: see FleetStore.
Result<void> AddFleetLocations(const std::string& output, const std::vector<std::string>& locations);

// In the order in which they were added; none if there is no such file.
std::vector<std::string> FleetLocations(const std::string& output);

}  // namespace sparkprof
