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

// Without space, tab, CR, LF, FF and VT at both ends.
std::string_view Trim(std::string_view text);

// The size of the longest of `endings` (".html .htm", separated by blanks) that `text` ends with, and is longer than;
// 0 if there is none.
size_t LongestEnding(std::string_view text, std::string_view endings);

// With A to Z replaced by a to z; all other bytes stay.
std::string ToLowerAscii(std::string_view text);

// Parses the complete text as a decimal integer; nullopt if it is not one.
std::optional<int64_t> ParseInteger(std::string_view text);

// Readable numbers: "1.2 s", "340 MiB", "12.4%".
std::string FormatDuration(int64_t nanos);
std::string FormatBytes(int64_t bytes);
std::string FormatShare(double share);

std::string Base64Encode(std::string_view bytes);

// The bytes of base64 text (RFC 4648, with or without padding); nullopt if it has other characters.
std::optional<std::string> Base64Decode(std::string_view text);

// True if `text` is well-formed UTF-8.
bool IsUtf8(std::string_view text);

// `text` with every byte that is not part of well-formed UTF-8 replaced by U+FFFD.
std::string ToUtf8(std::string_view text);

// The longest start of UTF-8 `text` of at most `most` bytes that ends between two characters.
std::string_view CutUtf8(std::string_view text, size_t most);

// The same, followed by "…" if it was truncated.
std::string Shorten(std::string_view text, size_t most);

// `text` as one line of a message: ToUtf8 with control characters replaced.
std::string ToOneLine(std::string_view text);

}  // namespace sparkprof
