// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// The parts of `text` between separators; empty parts are kept. An empty text has one empty part.
std::vector<std::string_view> Split(std::string_view text, char separator);

std::string_view Trim(std::string_view text);

// The whole text as a decimal integer, or nothing.
std::optional<int64_t> ParseInteger(std::string_view text);

// "10ms", "1.5s", "250us", "2m", "1h", "100ns" as nanoseconds; a bare number counts as milliseconds, as in Spark's
// settings.
std::optional<int64_t> ParseDuration(std::string_view text);

// "512k", "2m", "1g", "4096", "1.5MiB" as bytes (powers of 1024, case does not matter).
std::optional<int64_t> ParseBytes(std::string_view text);

// Numbers for people: "1.2 s", "340 MiB", "12.4 %".
std::string FormatDuration(int64_t nanos);
std::string FormatBytes(int64_t bytes);
std::string FormatShare(double share);

std::string Base64Encode(std::string_view bytes);

// True if `text` is well-formed UTF-8.
bool IsUtf8(std::string_view text);

// `text` with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string ToUtf8(std::string_view text);

// `text` as one line of a message: as ToUtf8, and control characters (line ends, what terminals obey) replaced, too.
std::string ToOneLine(std::string_view text);

}  // namespace sparkprof
