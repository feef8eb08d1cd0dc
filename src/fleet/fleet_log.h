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
  std::string source;  // name of the file, or of a rolled log's folder
  std::string root;    // storage that contains it; empty = the content comes through the engine's input
  std::vector<StoredFile> files;
  bool in_progress = false;  // Spark is still writing it, or was killed
  std::string id, attempt;   // from the names; empty if missing there

  int64_t Bytes() const;
  int64_t ModifiedNs() const;
  // Changes whenever the content does. Hadoop's times have millisecond precision.
  std::string Version() const;
};

// Converts to and from a line of JSON, without line end.
std::string FormatFleetLog(const FleetLog& log);
Result<FleetLog> ParseFleetLog(std::string_view line);

// The event logs among the files of a listing. Skips hidden files, markers, checksums, recordings and Parquet files. Of
// several logs of one application attempt in a folder, keeps only the complete or largest one.
std::vector<FleetLog> GroupFleetLogs(const std::string& root, const StorageListing& listing,
                                     const FindStartOfFile& find);

}  // namespace sparkprof
