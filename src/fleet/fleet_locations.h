// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace sparkprof {

// Locations whose logs are in a fleet's result, so that a collector can open them there:
// OUT/_sparkprof/locations.jsonl, one string per line.

// Adds new locations, local ones with their absolute path. For one process at a time; see FleetStore.
Result<void> AddFleetLocations(const std::string& output, const std::vector<std::string>& locations);

// Lists the locations in the order in which they were added; empty if the file does not exist.
std::vector<std::string> FleetLocations(const std::string& output);

}  // namespace sparkprof
