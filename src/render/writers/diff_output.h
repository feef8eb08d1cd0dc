// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/output_file.h"
#include "profiles/profile_diff.h"

namespace sparkprof {

// The frames that gained and lost most, at most `limit` of them, as a table. On a terminal of `width` columns, narrow
// ones get fewer columns, and frames that do not fit lose their start; otherwise lines have any length.
void WriteDiffText(const ProfileDiff& diff, std::string_view unit, size_t limit, std::optional<size_t> width,
                   OutputFile* output);

// {"unit","normalized","before":{"total","count"},"after":{…},"frames":[{"name","before","after","selfBefore",
// "selfAfter","changePercent","selfChangePercent","confidence"}]}, the largest change first. Percentages of the total
// before. Counts and confidences that are unknown are null.
void WriteDiffJson(const ProfileDiff& diff, std::string_view unit, bool normalized, OutputFile* output);

}  // namespace sparkprof
