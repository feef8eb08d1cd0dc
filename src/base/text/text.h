// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparkprof {

// Splits `text` at each separator; keeps empty parts. An empty text has one empty part.
std::vector<std::string_view> Split(std::string_view text, char separator);

// Removes space, tab, CR, LF, FF and VT at both ends.
std::string_view Trim(std::string_view text);

// Size of the longest of `endings` (".html .htm", space-separated) that `text` ends with and is longer than; 0 if there
// is none.
size_t LongestEnding(std::string_view text, std::string_view endings);

// Replaces A to Z by a to z; other bytes are unchanged.
std::string ToLowerAscii(std::string_view text);

// Parses the complete text as a decimal integer; nullopt if it is not one.
std::optional<int64_t> ParseInteger(std::string_view text);

// Human-readable numbers: "1.2 s", "340 MiB", "12.4%".
std::string FormatDuration(int64_t nanos);
std::string FormatBytes(int64_t bytes);
std::string FormatShare(double share);

std::string Base64Encode(std::string_view bytes);

// Decodes base64 (RFC 4648, with or without padding); nullopt for other characters.
std::optional<std::string> Base64Decode(std::string_view text);

// True if `text` is well-formed UTF-8.
bool IsUtf8(std::string_view text);

// Replaces every byte that is not part of well-formed UTF-8 by U+FFFD.
std::string ToUtf8(std::string_view text);

// The longest prefix of UTF-8 `text` with at most `most` bytes that ends between two characters.
std::string_view CutUtf8(std::string_view text, size_t most);

// CutUtf8, followed by "…" if truncated.
std::string Shorten(std::string_view text, size_t most);

// `text` as one line of a message: applies ToUtf8 and replaces control characters.
std::string ToOneLine(std::string_view text);

// Removes the first line from `text`, which must not be empty, and returns it without its end.
inline std::string_view TakeLine(std::string_view* text) {
  const void* const newline = std::memchr(text->data(), '\n', text->size());
  const size_t size =
      newline == nullptr ? text->size() : static_cast<size_t>(static_cast<const char*>(newline) - text->data());
  const std::string_view line = text->substr(0, size);
  text->remove_prefix(newline == nullptr ? size : size + 1);
  return line;
}

inline std::string_view WithoutCarriageReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

// Makes differently numbered names equal: "WholeStageCodegen (12)" becomes "WholeStageCodegen (#)".
std::string MaskNumbers(std::string_view text);

// Formats an estimate: "17–27 s". Both ends have the unit of the higher one, with two digits if sufficient. A range
// from 0 is "up to 27 s"; one without a visible width is a single duration.
std::string FormatDurationRange(int64_t low_ns, int64_t high_ns);

}  // namespace sparkprof
