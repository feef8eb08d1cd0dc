// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/output_file.h"
#include "profiles/profile_diff.h"

namespace sparkprof {

// Writes a table of the frames that gained and lost most, at most `limit`. With `width`, columns of the terminal, omits
// columns and shortens frames at their start to fit; otherwise lines have any length.
void WriteDiffText(const ProfileDiff& diff, std::string_view unit, size_t limit, std::optional<size_t> width,
                   OutputFile* output);

// Writes {"unit","normalized","before":{"total","count"},"after":{…},"frames":[{"name","before","after","selfBefore",
// "selfAfter","changePercent","selfChangePercent","confidence"}]}, the largest change first. Percentages refer to the
// total before. Unknown counts and confidences are null.
void WriteDiffJson(const ProfileDiff& diff, std::string_view unit, bool normalized, OutputFile* output);

}  // namespace sparkprof
