// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace sparkprof {

// Numbers with a unit: the grammar of settings/README.md, which Units.java implements in Java. The error describes the
// problem without the text: "has no unit; use …". Refusal() makes a message of it.

// "10ms", "1.5s", "2 h" in nanoseconds, rounded down.
Result<int64_t> ParseDuration(std::string_view text);

// A place in time or a length of it where a bare number counts as seconds, as on the axis of a timeline.
Result<int64_t> ParseDurationOrSeconds(std::string_view text);

// "512k", "1.5MiB", "4096" in bytes, rounded down.
Result<int64_t> ParseBytes(std::string_view text);

// A number from 0 to 1 in billionths, rounded down.
Result<int64_t> ParseBillionths(std::string_view text);

// `NAME: "TEXT" WRONG`, in one line.
std::string Refusal(std::string_view name, std::string_view text, const Error& wrong);

// A text that is read back as the same value, in the largest unit that fits without remainder: "10ms", "90s", "2MiB".
std::string DurationText(int64_t nanos);
std::string BytesText(int64_t bytes);

}  // namespace sparkprof
