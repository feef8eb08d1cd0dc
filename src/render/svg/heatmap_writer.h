// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/output_file.h"
#include "base/result.h"
#include "model/profile.h"

namespace sparkprof {

inline constexpr int64_t kHeatmapBucketNs = 20'000'000;

// Writes one page: time by fraction of a second, with the flame graph of the selected range, or the difference of two.
// The profile should have been read with kHeatmapBucketNs. Fails if its samples have no times, or span more than
// kMaxHeatmapSeconds.
inline constexpr int64_t kMaxHeatmapSeconds = 7 * 24 * 3600;
Result<void> WriteHeatmap(const Profile& profile, EventId default_event, OutputFile* output);

}  // namespace sparkprof
