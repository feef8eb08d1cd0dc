// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/samples/profile.h"
#include "model/segment/segment.h"

namespace sparkprof {

// Stores a profile of another tool as blocks of a recording, so that all features for recordings apply. The role of its
// sources is "profile", or "profile:UNIT:NAME" if all samples of a segment have an event that sparkprof itself does not
// record.

// ID prefix of recordings that are profiles of other tools.
inline constexpr std::string_view kProfileIdPrefix = "profile-";
// The same for profiles of hosts, followed by "HOST_"; without a host only "_".
inline constexpr std::string_view kHostProfileIdPrefix = "profile-host_";

// Times before this one, in 2001, are relative to the start of a machine or program.
inline constexpr int64_t kFirstEpochTime = 1'000'000'000 * kNanosPerSecond;

// Source::host of profiles of an unknown host.
inline constexpr std::string_view kUnknownHost = "profile";

struct ProfileUpload {
  std::string id;     // same for all uploads of one recording
  std::string host;   // host of the samples; empty = unknown
  std::string name;   // name in lists
  std::string group;  // group in lists
  std::vector<std::pair<std::string, std::string>> labels;
  int64_t start_ns = 0;  // since the Unix epoch; also used for samples without a time
  int64_t end_ns = 0;
  int64_t bucket_ns = 0;     // width of the time buckets; positive
  uint64_t key = 0;          // unique per upload; repeated uploads have the same key
  bool is_complete = false;  // whether no upload follows
};

// Passes each block to `sink`. Redacts names, labels and frames. Moves samples with another time origin to `start_ns`.
void WriteProfileRecording(Profile profile, const ProfileUpload& upload,
                           const std::function<void(std::string_view block)>& sink);

bool IsProfileSource(const Source& source);

// Whether the source is a part of the profile of a host that is joined with an application's processes
// (JoinProfiles).
bool IsJoinedProfile(const Source& source);

// Returns whether the source's role names the event of all its samples, and sets `event`.
bool HasNamedEvent(const Source& source, ProfileEvent* event);

}  // namespace sparkprof
