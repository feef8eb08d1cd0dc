// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/profile.h"
#include "model/segment.h"

namespace sparkprof {

// A profile of another tool as blocks of a recording, so that everything that works for recordings works for it. The
// role of its sources is "profile", or "profile:UNIT:NAME" where all samples of a segment are of an event that
// sparkprof does not record itself.

// Recordings with this beginning of their ID are profiles of other tools.
inline constexpr std::string_view kProfileIdPrefix = "profile-";

// Times before this one, in 2001, count from the start of a machine or a program.
inline constexpr int64_t kFirstEpochTime = 1'000'000'000 * kNanosPerSecond;

struct ProfileUpload {
  std::string id;     // equal for all uploads of one recording
  std::string name;   // in lists
  std::string group;  // in lists
  std::vector<std::pair<std::string, std::string>> labels;
  int64_t start_ns = 0;  // since the Unix epoch; also of samples without a time
  int64_t end_ns = 0;
  int64_t bucket_ns = 0;     // width of the time buckets, more than 0
  uint64_t key = 0;          // differs between uploads; the same upload again has the same one
  bool is_complete = false;  // nothing will follow
};

// Passes each block to `sink`. Secrets in names, labels and frames are redacted. Samples that count from another origin
// are moved to `start_ns`.
void WriteProfileRecording(Profile profile, const ProfileUpload& upload,
                           const std::function<void(std::string_view block)>& sink);

bool IsProfileSource(const Source& source);

// The event of all samples of the source, if its role has one.
bool HasNamedEvent(const Source& source, ProfileEvent* event);

}  // namespace sparkprof
