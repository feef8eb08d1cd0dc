// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "inputs/archive.h"

namespace sparkprof {

// YARN's aggregated logs of one node in the newer format (LogAggregationIndexedFileController): a UUID of 36
// characters, then for each cycle "\n", individually compressed logs, the Java-serialized index of all cycles so far,
// its length (32 bits, big-endian) and the UUID again.
bool IsIndexedFile(std::string_view head);
Result<Archive> ListIndexedFile(const SharedBytes& archive, const std::string& name, const ExpansionLimits& limits);

}  // namespace sparkprof
