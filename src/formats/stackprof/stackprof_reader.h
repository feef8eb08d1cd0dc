// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>

#include "base/byte_source.h"
#include "base/result.h"
#include "model/profile_builder.h"

namespace sparkprof {

// stackprof's JSON (Ruby) with raw samples: [number of frames, IDs of frames with callers first, number of samples, …].
// A sample weighs what raw_timestamp_deltas say, in mode cpu the interval (µs); in mode object it counts objects. As in
// speedscope, "(garbage collection)" runs on top of the stack before it.
Result<void> ReadStackprof(std::unique_ptr<ByteSource> source, ProfileBuilder* builder);

bool LooksLikeStackprof(std::string_view head);

}  // namespace sparkprof
