// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace sparkprof {

// The complete text as a time of thread dumps: HotSpot's "2026-11-21 13:00:00", read as UTC because it has no zone, or
// "2026-11-21T13:00:00.123456789Z". nullopt if it is something else.
std::optional<int64_t> ParseDumpTime(std::string_view text);

}  // namespace sparkprof
