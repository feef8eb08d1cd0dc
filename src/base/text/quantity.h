// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Numbers with a unit, according to the grammar in settings/README.md, which Units.java implements in Java. Errors
// describe the problem without the text: "has no unit; use …". Refusal() makes a message of them.

// Parses "10ms", "1.5s" or "2 h" to nanoseconds, rounded down.
Result<int64_t> ParseDuration(std::string_view text);

// A point in time or a duration; a number without a unit is in seconds, as on a timeline's axis.
Result<int64_t> ParseDurationOrSeconds(std::string_view text);

// Parses "512k", "1.5MiB" or "4096" to bytes, rounded down.
Result<int64_t> ParseBytes(std::string_view text);

// Parses a number from 0 to 1 to billionths, rounded down.
Result<int64_t> ParseBillionths(std::string_view text);

// Formats `NAME: "TEXT" WRONG` on one line.
std::string Refusal(std::string_view name, std::string_view text, const Error& wrong);

// Formats a value so that it is parsed back exactly, in the largest unit without remainder: "10ms", "90s", "2MiB".
std::string DurationText(int64_t nanos);
std::string BytesText(int64_t bytes);

}  // namespace sparkprof
