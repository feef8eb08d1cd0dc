// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/storage.h"

namespace sparkprof {

// Formats a file for the location of a catalogue entry: "SIZE MODIFIED NAME", without line end. Backslashes and line
// ends in NAME are escaped with a backslash.
std::string FormatFileLine(const StoredFile& file);
// Returns nullopt for any other line.
std::optional<StoredFile> ParseFileLine(std::string_view line);

}  // namespace sparkprof
