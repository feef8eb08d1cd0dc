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
  RecordingStatus status;                 // sum over all files
};

// All *.sprof files below `folder`, sorted so that results do not depend on the file system. Skips unreadable
// subfolders; fails if `folder` itself cannot be listed.
Result<std::vector<std::string>> RecordingsBelow(const std::string& folder);

// Reads recordings: files, or folders with all *.sprof files below. Groups segments by application ID and attempt;
// sources that never learned their ID form an application of their own ("unidentified"). Errors name the file.
Result<Recording> ReadRecordings(const std::vector<std::string>& paths);

}  // namespace sparkprof
