// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/application.h"
#include "server/folders/recording_directory.h"

namespace sparkprof {

// Recordings of monitors on an application's hosts during its run.
struct NodeRecordings {
  std::vector<StoredFile> files;
  int64_t omitted_bytes = 0;  // size of files beyond kMaxNodeBytes
};

// Maximum size of monitor recordings per application.
inline constexpr int64_t kMaxNodeBytes = int64_t{64} << 20;

// Finds the daily recordings of hosts by ID, "node-HOST-20261123". If an application's host names differ (localhost,
// addresses), it gets the recordings of all hosts; its processes are then found by their identity.
NodeRecordings FindNodes(const RecordingDirectory& recordings, const ApplicationEntries& entries,
                         const std::vector<Application>& attempts);

// The host of a daily recording `id` that overlaps the range; else empty.
std::string HostOfDay(const std::string& id, int64_t begin_ns, int64_t end_ns);

// Compares host names with or without their domains.
bool IsSameHost(const std::string& a, const std::string& b);

}  // namespace sparkprof
