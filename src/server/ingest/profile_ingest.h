// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/profile_formats.h"
#include "model/profile.h"

namespace sparkprof {

// A profile as a client of another profiler sends it.
struct ReceivedProfile {
  std::string service;                        // becomes the group; not empty
  std::map<std::string, std::string> labels;  // without the service
  std::string_view content;                   // compressed or not
  const ProfileFormat* format = nullptr;      // null: by content
  int64_t start_ns = 0;                       // since the Unix epoch; 0 = as the profile has it, or now
  int64_t end_ns = 0;                         // 0 = now
  int64_t samples_per_second = 0;  // what counts of cpu and wall samples are converted to time by; 0 = they are not
  ProfileEvent event;              // replaces the event "samples" of formats without events; unless its name is empty
};

inline constexpr size_t kMaxExpandedProfile = size_t{128} << 20;

// The content without compression, up to the limit.
Result<std::string> ExpandBody(std::string_view body);

// Appends the profile's blocks to `blocks`: all profiles of one service and label set in one UTC day are one
// recording. Returns the size of the content without compression. Fails for what cannot be read completely, and for
// more or longer labels than a client needs.
Result<uint64_t> AppendProfile(const ReceivedProfile& received, int64_t now_ns, std::string* blocks);

}  // namespace sparkprof
