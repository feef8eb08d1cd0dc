// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "storage/storage.h"

namespace sparkprof {

// A file in the location of a catalogue's entry: "SIZE MODIFIED NAME", without line end. In NAME, a backslash stands
// before each backslash, and for a line end "\n".
std::string FormatFileLine(const StoredFile& file);
// Nothing if the line is another one.
std::optional<StoredFile> ParseFileLine(std::string_view line);

}  // namespace sparkprof
