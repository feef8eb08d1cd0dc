// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/profile_formats.h"
#include "model/samples/profile.h"

namespace sparkprof {

// A profile as received from a client of another profiler.
struct ReceivedProfile {
  std::string service;                        // becomes the group; never empty
  std::map<std::string, std::string> labels;  // without the service
  std::string_view content;                   // compressed or not
  const ProfileFormat* format = nullptr;      // null = detected from the content
  int64_t start_ns = 0;                       // since the Unix epoch; 0 = from the profile, else now
  int64_t end_ns = 0;                         // 0 = now
  int64_t samples_per_second = 0;             // converts counts of cpu and wall samples to time; 0 = no conversion
  ProfileEvent event;  // replaces the event "samples" of formats without events, unless its name is empty
};

inline constexpr size_t kMaxExpandedProfile = size_t{128} << 20;

// Decompresses the body, up to the size limit.
Result<std::string> ExpandBody(std::string_view body);

// Appends the profile's blocks to `blocks`. All profiles of one service, label set and UTC day form one recording.
// Returns the uncompressed size of the content. Fails for unreadable content and for too many or too long labels.
Result<uint64_t> AppendProfile(const ReceivedProfile& received, int64_t now_ns, std::string* blocks);

}  // namespace sparkprof
