// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Flame graphs as SVG, by sparkprof, flamegraph.pl and inferno: each frame is a <title>NAME (NUMBER UNIT,
// SHARE)</title> and a <rect>, whose caller is the frame in the next row that it lies above (or below, if inverted).
// Exact positions and weights are attributes in files of sparkprof (data-x, data-w) and inferno (fg:x, fg:w); others
// give the numbers of titles. Frames too narrow to be drawn count for their callers; a note says so where the file
// does.
Result<void> ReadFlameSvg(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeFlameSvg(std::string_view head);

}  // namespace sparkprof
