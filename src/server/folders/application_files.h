// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/folders/event_log_directory.h"
#include "server/folders/fetched_files.h"
#include "server/folders/recording_directory.h"

namespace sparkprof {

struct ApplicationFiles {
  std::vector<StoredFile> recordings;
  std::vector<StoredEventLog> event_logs;  // one per attempt
  std::string version;                     // changes with any of the files
  std::string location;                    // location of the recordings, for RecordingDirectory::Restore
  int64_t changed_ns = 0;                  // time of the last write, by this machine's clock

  bool IsEmpty() const { return recordings.empty() && event_logs.empty(); }
};

ApplicationFiles FindApplication(const RecordingDirectory& recordings, const EventLogDirectory& event_logs,
                                 const std::string& id);

// A version that is the same on all nodes of one store: they have the same blocks in files of the same names and sizes,
// in other folders and with other times.
std::string SharedVersion(const ApplicationFiles& files);

// Local recordings and event logs, after fetching remote ones.
struct LocalFiles {
  std::vector<std::string> recordings;
  std::vector<std::string> event_logs;
  std::vector<std::shared_ptr<const void>> in_use;  // keep the fetched files from eviction
};
Result<LocalFiles> FetchAll(const ApplicationFiles& files, FetchedFiles* fetched);

}  // namespace sparkprof
