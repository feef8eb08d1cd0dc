// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// Flame graphs of Pyroscope as JSON, as its /render answers and its page exports them: "flamebearer" has names and a
// list of numbers for each level, four for each frame: the distance to the end of the frame before it, its total, its
// own weight, the position of its name. The queries of version 1 answer "flamegraph" with numbers as text in "values".
// The frame of the first level is the total. Comparisons (format "double") are refused.
Result<void> ReadPyroscope(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikePyroscope(std::string_view head);

}  // namespace sparkprof
