// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "inputs/listed_event_logs.h"
#include "storage/storage.h"

namespace sparkprof {

// One event log of a fleet: a file, or the files of a rolled log in order.
struct FleetLog {
  std::string source;  // its name: the file's, or the folder's of a rolled log
  std::string root;    // the storage that has it; empty = the content comes through the engine's input
  std::vector<StoredFile> files;
  bool in_progress = false;  // Spark still writes it, or was killed
  std::string id, attempt;   // as the names show it; empty if they do not

  int64_t Bytes() const;
  int64_t ModifiedNs() const;
  // Changes whenever the content does. Hadoop has times in milliseconds.
  std::string Version() const;
};

// A line of JSON without line end, and back.
std::string FormatFleetLog(const FleetLog& log);
Result<FleetLog> ParseFleetLog(std::string_view line);

// The event logs among the files of a listing. Leaves out hidden files, markers, checksums, recordings and Parquet
// files; of several logs of one application attempt in one folder, only the one that is complete, or the largest.
std::vector<FleetLog> GroupFleetLogs(const std::string& root, const StorageListing& listing,
                                     const FindStartOfFile& find);

}  // namespace sparkprof
