// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/storage.h"

namespace sparkprof {

// A valid file name for any text: percent-encoded, and shortened with its SHA-256 if it is too long. Distinct texts get
// distinct names, even if a sender chooses them to collide.
std::string FileNameFor(std::string_view text);
// The name in data folders of earlier versions, whose shorter hash of long texts may collide.
std::string OldFileNameFor(std::string_view text);
// The path of the text's file in `folder`: the one that exists, the new one if both or none do.
std::string FindFile(const std::string& folder, std::string_view text, std::string_view ending);

// Unique text for a group of a tenant; the group's name for the default tenant.
std::string GroupKey(std::string_view tenant, std::string_view group);

// Formats a file for the location of a catalogue entry: "SIZE MODIFIED NAME", without line end. Backslashes and line
// ends in NAME are escaped with a backslash.
std::string FormatFileLine(const StoredFile& file);
// Returns nullopt for any other line.
std::optional<StoredFile> ParseFileLine(std::string_view line);

// The collector's small files consist of JSON objects, one per line, that detect their own damage: the last member,
// "sum", is the XXH3-64 of the text before it.

// Adds the checksum to `object`; without a line end.
std::string WithChecksum(std::string_view object);

struct CheckedLines {
  std::vector<std::string> lines;  // undamaged lines, in order
  size_t damaged = 0;
  bool is_old = false;  // written by an earlier version, without checksums
};

// In a file with checksums, a line without one is damaged. In any file, lines other than JSON objects and an
// unterminated last line are damaged.
CheckedLines ReadCheckedLines(std::string_view content);

// Suffix of the copy of a damaged file.
inline constexpr std::string_view kDamagedEnding = ".damaged";

}  // namespace sparkprof
