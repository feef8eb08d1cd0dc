// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/application.h"
#include "server/folders/recording_directory.h"

namespace sparkprof {

// Recordings of monitors and profiles on an application's hosts during its run.
struct NodeRecordings {
  std::vector<StoredFile> files;
  int64_t omitted_bytes = 0;  // size of files beyond kMaxNodeBytes
};

// Maximum size of these recordings per application.
inline constexpr int64_t kMaxNodeBytes = int64_t{64} << 20;

// Finds the daily recordings of an entry's hosts by ID: "node-HOST-20261123", and the hosts' profiles
// "profile-host_HOST_…" (JoinProfiles) unless access lists limit who sees an application, because a profile does not
// identify the owners of processes. Excludes recordings of other tenants, and of senders that may only send
// applications of one user. If an application's host names differ (localhost, addresses), it gets the recordings of all
// hosts; its processes are then identified individually.
NodeRecordings FindNodes(const RecordingDirectory& recordings, const ApplicationEntries& entries,
                         const std::string& entry, const std::vector<Application>& attempts);

// The host of a daily recording `id` that overlaps the range; else empty.
std::string HostOfDay(const std::string& id, int64_t begin_ns, int64_t end_ns);

// The host of a host's daily profile `id` that overlaps the range, empty if unknown; nullopt for other IDs.
std::optional<std::string> HostOfProfile(const std::string& id, int64_t begin_ns, int64_t end_ns);

}  // namespace sparkprof
