// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/application.h"
#include "model/block.h"

namespace sparkprof {

struct Recording {
  std::vector<Application> applications;  // in order of start
  RecordingStatus status;                 // added up over all files
};

// Every *.sprof below `folder`, sorted so that results do not depend on the file system. Skips folders that may not be
// read; fails if `folder` itself cannot be listed.
Result<std::vector<std::string>> RecordingsBelow(const std::string& folder);

// Reads recordings: files, or folders in which every *.sprof below is read. Segments are grouped by application id and
// attempt; sources that never learned theirs form an application of their own (id "unidentified"). Errors name the
// file.
Result<Recording> ReadRecordings(const std::vector<std::string>& paths);

}  // namespace sparkprof
