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

// Everything there is about one application.
struct ApplicationFiles {
  std::vector<StoredFile> recordings;
  std::vector<StoredEventLog> event_logs;  // one for each attempt
  std::string version;                     // changes with any of the files
  std::string location;                    // of the recordings, see RecordingDirectory::Restore
  int64_t changed_ns = 0;                  // when the last of them was written, by this machine's clock

  bool IsEmpty() const { return recordings.empty() && event_logs.empty(); }
};

ApplicationFiles FindApplication(const RecordingDirectory& recordings, const EventLogDirectory& event_logs,
                                 const std::string& id);

// The recordings and event logs on this machine, after fetching what is on others.
struct LocalFiles {
  std::vector<std::string> recordings;
  std::vector<std::string> event_logs;
  std::vector<std::shared_ptr<const void>> in_use;  // keeps them
};
Result<LocalFiles> FetchAll(const ApplicationFiles& files, FetchedFiles* fetched);

}  // namespace sparkprof
