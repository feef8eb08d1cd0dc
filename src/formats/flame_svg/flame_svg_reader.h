// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Flame graphs as SVG, by sparkprof, flamegraph.pl and inferno: each frame is a <title>NAME (NUMBER UNIT,
// SHARE)</title> and a <rect>. Its caller is the frame in the next row below it (above it, if inverted).
// Exact positions and weights are attributes in files of sparkprof (data-x, data-w) and inferno (fg:x, fg:w); others
// give the numbers of titles. Frames too narrow to be drawn count for their callers; a note reports them if
// the file does.
Result<void> ReadFlameSvg(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeFlameSvg(std::string_view head);

}  // namespace sparkprof
