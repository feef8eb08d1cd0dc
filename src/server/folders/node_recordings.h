// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"
#include "server/folders/recording_directory.h"

namespace sparkprof {

// Recordings of monitors on the hosts of an application while it ran.
struct NodeRecordings {
  std::vector<StoredFile> files;
  int64_t omitted_bytes = 0;  // of files beyond kMaxNodeBytes
};

// Limit of the files that one application may need.
inline constexpr int64_t kMaxNodeBytes = int64_t{64} << 20;

// Days of a host are found by the ID of their recording, "node-HOST-20261123". An application whose hosts have other
// names (localhost, addresses) gets those of all hosts: its processes are found in them by their identity.
NodeRecordings FindNodes(const RecordingDirectory& recordings, const ApplicationEntries& entries,
                         const std::vector<Application>& attempts);

// The host if the recording `id` is one of a day with a moment between `begin_ns` and `end_ns`; else empty.
std::string HostOfDay(const std::string& id, int64_t begin_ns, int64_t end_ns);

// With or without their domains.
bool IsSameHost(const std::string& a, const std::string& b);

}  // namespace sparkprof
